internal import CreditJSON
internal import CreditModel

/// Finds a member of requests that is likely a known one misspelt, or a flag.
struct MisspeltMembers {
  private let tool: Tool
  private let flags: ParsedArguments
  /// The known names, and the unknown ones that have been looked at.
  private var names: MemberNames?
  private var unknownCount = 0
  private var lastHash: UInt64 = 0
  /// The command whose lines have those names, if these are of the past; nil for requests.
  private(set) var printer: String?
  /// Whether those names include that of the account.
  private var lastNamesAccount = false
  private var remarkCount = 0
  private var namesAccount = false
  private var unnamedCount = 0
  private var unnamedLine = 0
  /// The first name that was probably meant to be that of the account.
  private(set) var misnamed: String?

  /// The most unknown names that are compared. Log lines may have any number.
  private static let limit = 256
  /// The most remarks of a run.
  private static let remarkLimit = 10

  init(of tool: Tool, _ flags: ParsedArguments) {
    self.tool = tool
    self.flags = flags
  }

  /// Returns remarks on such members of a request, each name once in a run.
  mutating func remarks(on request: JSONValue) -> [String] {
    let hash = request.namesHash
    if hash == lastHash { return [] }
    lastHash = hash
    lastNamesAccount = request.hasMember("account")
    printer = Self.printer(of: request)
    if printer != nil { return [] }
    if names == nil {
      // Our own requests are given StoreKit's name of a product, too.
      let others = StoreKitMember.products.map(\.text.description)
      names = MemberNames(tool.requestNames.filter { !others.contains($0) })
    }
    var remarks: [String] = []
    while unknownCount < Self.limit, remarkCount < Self.remarkLimit,
      let name = names?.addFirst(of: request)
    {
      unknownCount += 1
      guard let remark = remark(on: name, of: request) else { continue }
      remarkCount += 1
      remarks.append(remark)
    }
    return remarks
  }

  private static func printer(of line: JSONValue) -> String? {
    if ["at", "event"].allSatisfy(line.hasMember), line.member("state")?.isObject == true {
      return "credit-store export"
    }
    let names = ["balance", "id", "status", "timestamp", "type"]
    let isOfHistory = names.allSatisfy(line.hasMember) && !line.hasMember("transaction")
    return isOfHistory ? "credit-history" : nil
  }

  /// Notes whether the request looked at last, which the gate serves, names another account than
  /// the default one, or none.
  mutating func noteAccount(of request: JSONValue, line: Int) {
    if lastNamesAccount {
      namesAccount = namesAccount || request.string("account") != Name.defaultAccount.text
    } else if tool.id != .transfer, !hasAccount(request),
      // StoreKit's transactions, which have neither, may name one otherwise.
      tool.id != .topup || ["key", "transaction"].contains(where: request.hasMember)
    {
      if unnamedCount == 0 { unnamedLine = line }
      unnamedCount += 1
    }
  }

  /// True if other requests name an account or misspell the member.
  var hasOthers: Bool { namesAccount || misnamed != nil }

  /// Says how many requests are for the default account without naming it; nil without any,
  /// or if a remark on the only one has said so.
  var remarkOnUnnamed: String? {
    if unnamedCount == 0 || misnamed != nil && unnamedCount == 1 { return nil }
    let requests = unnamedCount == 1 ? "1 request" : "\(unnamedCount.grouped) requests"
    return "\(requests) without an account went to \(quoted(Name.defaultAccount.text)), the first "
      + "on line \(unnamedLine); "
      + (misnamed.map { "\(quoted($0)) is not \"account\"" }
        ?? (namesAccount ? "others name one" : "--account NAME names another"))
  }

  private mutating func remark(on name: String, of request: JSONValue) -> String? {
    guard let member = name.withUTF8Bytes({ request.member(utf8: $0) }) else { return nil }
    if tool.id == .refund, name == "usage" {
      return "it has a usage, as a charge or its receipt has, and all of it is given back: is that "
        + "meant?"
    }
    if tool.id == .charge || tool.id == .price, let usage = request.member("usage"),
      usage.isObject, let count = member.int64, Tool.count(called: name) != nil || name == "units",
      name.withUTF8Bytes({ usage.member(utf8: $0) })?.int64 != count
    {
      return "\(quoted(name)) beside \"usage\" is ignored: counts are members of usage"
    }
    if let meant = Tool.identities[tool.id], Tool.ids.contains(name), member.string != nil,
      !isResponse(request), !flags.has(.void),
      !flags.given.contains(where: { Tool.ids.contains($0.flag.name) }),
      case let own = name == "id" ? Tool.ids.filter({ $0 != "id" }) : tool.requestNames,
      !(["content", "object"] + own.filter(Tool.ids.contains)).contains(where: request.hasMember)
    {
      return "\(name) does not make \(meant.noun) unique; name it \(quoted(meant.id))"
    }
    if let flag = tool.flag(meantBy: name) {
      if member.isNull || member.bool == false { return nil }
      let meant = member.string.map { shellFlag(flag, $0) } ?? "--\(flag)"
      return "\(quoted(name)) is not a member and is ignored; it is the flag \(meant)"
    }
    guard
      let meant = tool.loneMember(meantBy: name, in: request)
        ?? tool.member(meantBy: name, inResponse: isResponse(request))
    else { return nil }
    if request.hasMember(meant) {
      // Another word for it may be a member of the line's own.
      return NearestNames.misspelt(name, among: [meant]).map {
        "\(quoted(name)) is not a known member and is ignored beside \(quoted($0))"
      }
    }
    if meant == "account" && hasAccount(request)
      // StoreKit's transactions have neither, and have a product by that name.
      || meant == "product" && !["key", "transaction"].contains(where: request.hasMember)
    {
      return nil
    }
    if meant == "account", misnamed == nil { misnamed = name }
    let effect = meant == "account" ? ", and the request is for account \"default\"" : ""
    return "\(quoted(name)) is not a known member and is ignored\(effect); did you mean "
      + "\(quoted(meant))?"
  }

  /// Whether a request may be a provider's response: its usage has no count of our own form.
  private func isResponse(_ request: JSONValue) -> Bool {
    guard tool.id == .price || tool.id == .charge else { return false }
    guard let usage = request.member("usage") else { return !request.hasMember("key") }
    return !["inputTokens", "outputTokens", "units"].contains { usage.hasMember($0) }
  }

  /// Whether the account of a request is known without its member.
  private func hasAccount(_ request: JSONValue) -> Bool {
    flags.has(.account)
      || (request.hasMember("authorization") || flags.has(.authorization))
        && (tool.id != .authorize || flags.has(.void))
      || tool.id == .refund && (request.hasMember("transaction") || flags.has(.transaction))
  }
}

extension Tool {
  /// The names of its requests' members; empty for a tool without requests.
  fileprivate var requestNames: [String] { (requestMembers ?? []).map(\.name) }

  /// Returns the flag that a person has written as a member, if the tool has it.
  fileprivate func flag(meantBy name: String) -> String? {
    let plain = Self.plain(name == "voided" ? "void" : name)
    return Self.switches.first { flag in
      Self.plain(flag) == plain && flags.contains { $0.name == flag }
    }
  }

  /// Returns the member that a word for an amount means. Nil if other members are unknown, too:
  /// results of other tools have such words, and logs.
  fileprivate func loneMember(meantBy name: String, in request: JSONValue) -> String? {
    guard let row = Self.amounts.first(where: { $0.tool == id }),
      row.words.contains(Self.plain(name)), row.meant != "units" || !request.hasMember("usage"),
      case let known = requestNames + [name],
      request.members.allSatisfy({ known.contains($0.name.string ?? "") })
    else { return nil }
    return row.meant
  }

  /// Returns the member that an unknown one means. Nil if no name is close, or if another result or
  /// response has a member with that name.
  fileprivate func member(meantBy name: String, inResponse: Bool) -> String? {
    let plain = Self.plain(name)
    if inResponse, Self.namesOfProviders.contains(name) { return nil }
    let names = requestNames
    func words(_ table: [(meant: String, words: String)]) -> [(meant: String, word: String)] {
      table.filter { names.contains($0.meant) }.flatMap { row in
        row.words.split(separator: " ").map { (row.meant, String($0)) }
      }
    }
    let own = names.filter { $0 != name }.map { (meant: $0, word: Self.plain($0)) }
    let others = words(Self.otherNames)
    // A price needs neither account nor time, and lines of logs may have such members.
    let ofLogs = inResponse || id == .price ? [] : words(Self.namesInLogs)
    let short = plain.hasSuffix("id") ? String(plain.dropLast(2)) : plain
    if let known = (own + others + ofLogs).first(where: { [plain, short].contains($0.word) }) {
      return known.meant
    }
    // Other words are as near to a short one as its misspellings.
    let long = others.filter { $0.word.utf8.count > 5 }
    let known = names + long.map(\.word)
    let near =
      NearestNames.misspelt(name, among: known)
      ?? (short.utf8.count > 5 ? NearestNames.misspelt(short, among: known) : nil)
    guard let near else { return nil }
    // Requests of one tool are the results or requests of another that works on accounts.
    let isOwn = ToolName.allCases.contains { tool in
      if tool == .store || tool == .doctor { return false }
      return tool.tool.requestNames.contains(name)
        || (tool.results ?? []).contains { $0.members?.contains { $0.name == name } == true }
    }
    return isOwn ? nil : long.first { $0.word == near }?.meant ?? near
  }

  /// A name without capitals, `_`, `-` and the ending of a plural, as styles of names differ.
  private static func plain(_ name: String) -> String {
    let plain = name.lowercased().filter { $0 != "_" && $0 != "-" }
    if plain.hasSuffix("ies") { return plain.dropLast(3) + "y" }
    return plain.hasSuffix("s") ? String(plain.dropLast()) : plain
  }

  /// The ids of the tools whose requests need one.
  fileprivate static let identities: [ToolName: (noun: String, id: String)] = [
    .authorize: ("an authorization", "authorization"), .charge: ("a charge", "key"),
    .refund: ("a refund", "transaction"), .topup: ("a top-up", "transaction"),
    .transfer: ("a transfer", "key"),
  ]

  /// Ids of requests and of results.
  fileprivate static let ids = ["authorization", "id", "key", "transaction"]

  /// Flags that people write as members.
  private static let switches = [
    "amend", "arrears", "at", "dry-run", "month", "since", "until", "void",
  ]

  private static let amounts: [(tool: ToolName, meant: String, words: [String])] = [
    (.authorize, "hold", ["amount", "credit", "reserve"]),
    (.charge, "units", ["count", "quantity"]), (.topup, "quantity", ["count", "unit"]),
    (.refund, "credits", ["partial", "quantity", "value"]),
  ]

  /// Other words for members, in the form of ``plain(_:)``.
  private static let otherNames = [
    ("account", "acct customer payer uid user"), ("closed", "disabled frozen suspended"),
    ("credits", "amount creditamount creditsrefunded refundcredit"),
    ("expiresAt", "expiration expire expiry validuntil"), ("expiresIn", "holdexpiresin ttl"),
    ("hold", "holdcredit"), ("limits", "budget spendlimit"), ("limitUntil", "until"),
    ("parent", "parentaccount team"), ("price", "cost"), ("quantity", "qty"),
    ("reason", "comment memo note"), ("serviceTier", "tier"), ("status", "state"), ("type", "kind"),
  ]

  /// Words for the one who pays and for the time of the work, likewise. In responses and in logs
  /// that are priced they have other meanings.
  private static let namesInLogs = [
    (
      "account",
      "acc accountname buyer client email login member name org organization owner project "
        + "subscriber team tenant username wallet"
    ), ("key", "idempotencykey requestid"), ("usedAt", "date time timestamp"),
  ]

  /// The counts that words of a usage mean, by their stems. A table, as each line of a log may have
  /// words that are no counts.
  private static let counts: [String: String] = {
    let own = UsageCount.allCases.map { "\($0.row.member)" }
    let others = [
      ("prompt", "inputTokens"), ("completion", "outputTokens"), ("reasoning", "outputTokens"),
      ("thinking", "outputTokens"), ("cache", "cacheReadTokens"), ("cached", "cacheReadTokens"),
      ("cachedInput", "cacheReadTokens"), ("cacheReadInput", "cacheReadTokens"),
      ("cacheCreationInput", "cacheWriteTokens"), ("cacheCreation", "cacheWriteTokens"),
    ]
    return Dictionary((own.map { ($0, $0) } + others).map { (stem($0), $1) }) { own, _ in own }
  }()

  /// A plain name without the word for tokens.
  private static func stem(_ name: String) -> String {
    var stem = plain(name)
    for end in ["token", "s", "e"] where stem.hasSuffix(end) { stem.removeLast(end.count) }
    return stem
  }

  /// The count that a word of a usage probably means, if it is a usual one.
  static func count(called word: String) -> String? { counts[stem(word)] }

  /// Members of providers' responses whose names are like those of a request's own.
  private static let namesOfProviders = [
    "completed_at", "expires_at", "part", "service_tier", "updated_at", "user",
  ]
}

extension String {
  /// The reason why it is probably no name, to follow its flag in a message; nil for most texts.
  var slip: String? {
    // Most names begin with a letter, and characters are slow to compare.
    if let byte = utf8.first, byte >= 0x80 || byte == 0x22 || byte == 0x27, count > 1,
      ["''", "\"\"", "“”", "‘’", "„“", "«»"].contains(where: {
        $0.first == first && $0.last == last
      })
    {
      let advice = utf8.first == 0xE2 ? "; a shell's quotation marks are ' and \"" : ""
      return "has quotes at both ends, which are a part of it: \(self)\(advice)"
    }
    if hasPrefix("--") {
      return "is \(quoted(self)), like a flag: is a variable not set?"
    }
    let isOpen: Bool
    // No longer text is one of these words.
    switch utf8.count > 15 ? "" : self {
    case "null", "undefined", "None", "nil", "[object Object]":
      return "is \(quoted(self)): is a value missing?"
    case "NAME", "KEY", "ID", "TRANSACTION_ID", "MODEL", "TODO", "XXX": isOpen = true
    default:
      isOpen =
        switch utf8.first {
        case UInt8(ascii: "$"), UInt8(ascii: "<"): true
        case UInt8(ascii: "{"): hasPrefix("{{")
        case UInt8(ascii: "Y"), UInt8(ascii: "y"):
          ["YOUR_", "YOUR-", "your_", "your-"].contains(where: hasPrefix)
        default:
          withUTF8Bytes { $0.firstIndex(of: UInt8(ascii: "$")) != nil }
            && ["$(", "${"].contains(where: utf8.contains)
        }
    }
    if isOpen, hasPrefix("$RCAnonymousID:") {
      return "is RevenueCat's id of an anonymous customer: log in with your own id of the customer"
    }
    return isOpen ? "is \(quoted(self)), a placeholder: put the value there" : nil
  }

  /// True for a name that may be meant as several accounts or none, as a flag, or as a request.
  var isSeveral: Bool {
    ["*", "all", "any", "everyone", "none"].contains(self) || hasPrefix("{")
      || hasPrefix("account=")
      || utf8.contains(UInt8(ascii: ",")) && !utf8.contains { "= ".utf8.contains($0) }
  }

  /// The end of a message about a name that may look like another one; empty for most names.
  var disguise: String {
    if let last = unicodeScalars.last, last == "-" || last == ":" {
      return "; it ends in \"\(last)\": is a variable not set?"
    }
    if unicodeScalars.contains(where: { $0.isHidden && !$0.isJoiner }) {
      return "; it has characters that do not show"
    }
    let signs = "\u{A0}\u{2007}\u{2010}\u{2011}\u{2012}\u{2013}\u{202F}\u{2212}".unicodeScalars
    if unicodeScalars.contains(where: signs.contains) {
      return "; it has a hyphen or a space that no keyboard has"
    }
    let isMixed =
      utf8.contains { (0x61...0x7a).contains($0 | 0x20) }
      && unicodeScalars.contains { (0x370...0x52F).contains($0.value) }
    return isMixed ? "; it mixes Latin letters with Greek or Cyrillic ones" : ""
  }
}
