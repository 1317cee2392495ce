internal import CreditJSON
internal import CreditModel

/// Members that several requests share, and those with a form of their own.
extension RequestReader {
  func account(_ flag: @autoclosure () -> TextFlag = .account) throws(CreditError) -> Name? {
    try name("account", flag(), limit: Name.accountLimit)
  }

  /// A remark for people: at most 1,024 bytes.
  func reason() throws(CreditError) -> String? { try name("reason", .reason, limit: 1024)?.text }

  /// Visits an authorization: its id, or the object that `credit-authorize` returned.
  func authorization(_ flag: @autoclosure () -> AuthorizationFlag) throws(CreditError)
    -> AuthorizationReference?
  {
    try member("authorization", flag()) { flags, flag throws(CreditError) in
      guard let reference = flags.arguments[flag] else { return nil }
      _ = try Name(checked: reference.id.text, as: "authorization")
      return reference
    } read: { value throws(CreditError) in
      try AuthorizationReference(value)
    } unite: { given, flagged in
      let account = flagged.account ?? given.account
      guard flagged.id == given.id, account == given.account ?? account else { return nil }
      return AuthorizationReference(id: given.id, account: account)
    }
  }

  /// Visits decimal text, or a number whose digits are kept as they are.
  func price(_ flag: @autoclosure () -> TextFlag) throws(CreditError) -> String? {
    guard let price = try uncheckedPrice(flag()) else { return nil }
    guard ExactDecimal(text: price) != nil, price.utf8.count <= 40 else {
      throw .invalidRequest(
        "price must be decimal text, such as \"9.99\", not \(quoted(price))"
          + (price.hasPrefix(".") && source.value == nil
            ? "; a shell changes a price such as $9\(price) to that: write it without the $"
            : ExactDecimal.advice(on: price)))
    }
    return price
  }

  func uncheckedPrice(_ flag: @autoclosure () -> TextFlag) throws(CreditError) -> String? {
    try member("price", flag()) {
      $0.arguments[$1]
    } read: { value throws(CreditError) in
      guard value.kind == .number else { return try value.text(of: "price") }
      guard ExactDecimal(text: value.raw) != nil, value.raw.count <= 40 else {
        throw .invalidRequest("price must be a decimal number that is not negative")
      }
      return String(decoding: value.raw, as: UTF8.self)
    } unite: {
      $0.hasSameBytes(as: $1) ? $0 : nil
    }
  }

  /// Visits ids of models, or beginnings of ids: a list in a request, parted by commas in a flag.
  func models() throws(CreditError) -> ModelPatterns? {
    func patterns(_ texts: [String]) throws(CreditError) -> ModelPatterns {
      do throws(ModelPatterns.Problem) {
        return try ModelPatterns(texts)
      } catch {
        throw .invalidRequest("models \(error.text)")
      }
    }
    return try member("models", Flag.grantModels) { flags, flag throws(CreditError) in
      guard let text = flags.arguments[flag] else { return nil }
      let texts = text.split(separator: ",", omittingEmptySubsequences: false)
      return try patterns(texts.map(String.init))
    } read: { value throws(CreditError) in
      let texts = value.elements.map(\.string)
      guard value.kind == .array, !texts.contains(nil) else {
        throw .invalidRequest("models must be a list of texts")
      }
      return try patterns(texts.compactMap { $0 })
    }
  }

  /// Visits the tags. No tag may have two values.
  /// - Parameter customID: a name that the request has by itself, a tag if there is room for it.
  func tags(customID: String? = nil) throws(CreditError) -> Tags? {
    let tags: Tags?? = try member("tags", .tag) { flags, _ in
      flags.tags.map { .some($0) }
    } read: { value throws(CreditError) in
      try context?.tags(value)
    } unite: { given, flagged throws(CreditError) in
      var list = TagList(given)
      try flagged?.forEachTag { name, value throws(CreditError) in
        if let problem = list.add(name, value) {
          throw .invalidRequest("tag \(quoted(name)) of the request and of the flags \(problem)")
        }
      }
      return list.tags
    }
    guard let customID else { return tags ?? nil }
    var list = TagList(tags ?? nil)
    _ = list.add("custom_id", Tags.value(of: customID))
    return list.tags
  }

  fileprivate static func tags(_ value: JSONValue) throws(CreditError) -> Tags? {
    guard value.isObject else {
      throw .invalidRequest(
        "tags must be an object of names with texts, such as {\"project\":\"x\"}")
    }
    var list = TagList()
    for (name, value) in value.members {
      let name = name.string ?? ""
      let value = try value.text(of: "tag \(quoted(name))")
      if let problem = Tags.problem(inRequest: name, value) ?? list.add(name, value) {
        throw .invalidRequest("tag \(quoted(name)) \(problem)")
      }
    }
    return list.tags
  }

  /// Visits the limits that are set, each once.
  func limits() throws(CreditError) -> [LimitChange] {
    try member("limits", Flag.spendLimit) { flags, _ in
      flags.limits.isEmpty ? nil : flags.limits
    } read: { value throws(CreditError) in
      try Self.limits(value)
    } unite: { given, flagged in
      var changes = given
      for change in flagged {
        if let known = changes.first(where: { $0.id == change.id }) {
          if known != change { return nil }
        } else {
          changes.append(change)
        }
      }
      return changes
    } ?? []
  }

  private static func limits(_ value: JSONValue) throws(CreditError) -> [LimitChange] {
    guard value.isObject else {
      throw .invalidRequest("limits must be an object such as {\"day\":1000,\"week\":\"none\"}")
    }
    var changes: [LimitChange] = []
    for (name, value) in value.members {
      let id = name.string ?? ""
      if let problem = SpendLimit.problem(withID: id) {
        throw .invalidRequest("limit \(quoted(id)) \(problem)")
      }
      changes.append(try LimitText.change(Name(trusted: id), value))
    }
    return changes
  }
}

extension RequestContext {
  /// Reads tags, and those with one text mostly once.
  fileprivate func tags(_ value: JSONValue) throws(CreditError) -> Tags? {
    let place = knownTags.firstIndex { $0.text.withBytes { $0.hasSameBytes(as: value.raw) } }
    if let place { return knownTags[place].tags }
    let tags = try RequestReader.tags(value)
    if knownTags.count < 16 { knownTags.append(([UInt8](value.raw), tags)) }
    return tags
  }
}

struct AuthorizationReference: Hashable, Sendable {
  let id: Name
  var account: Name?
}

extension AuthorizationReference {
  /// Reads an id, or the object that `credit-authorize` returned.
  /// - Throws: `invalid_request`.
  init(_ value: JSONValue) throws(CreditError) {
    guard let id = value.string ?? value.string("id") else {
      throw .invalidRequest("authorization must be an id, as text, or an object that has one")
    }
    var account: Name?
    if let owner = value.member("account") {
      let owner = try owner.text(of: "account in authorization")
      account = try Name(checked: owner, as: "account", limit: Name.accountLimit)
    }
    self.init(id: try Name(checked: id, as: "authorization"), account: account)
  }
}
