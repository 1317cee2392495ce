internal import CreditBytes
internal import CreditJSON
internal import CreditModel

/// Finds a member of requests that is likely a known one misspelt, or a flag.
///
/// It would be ignored in silence.
///
/// The names of the members are compared with those of the request before: mostly they are the
/// same.
struct MisspeltMembers {
  private let tool: Tool
  private let flags: ParsedArguments
  /// The known names, and the unknown ones that have been looked at.
  private var names: MemberNames?
  private var unknownCount = 0
  /// The names of the request that was looked at last.
  private var lastHash: UInt64 = 0
  private var remarkCount = 0

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
    if unknownCount >= Self.limit || remarkCount >= Self.remarkLimit { return [] }
    let hash = request.namesHash
    if hash == lastHash { return [] }
    lastHash = hash
    if names == nil { names = MemberNames(tool.requestNames) }
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

  private func remark(on name: String, of request: JSONValue) -> String? {
    guard let member = name.withUTF8Bytes({ request.member(utf8: $0) }),
      let meaning = tool.likelyMeaning(of: name, inResponse: isResponse(request))
    else { return nil }
    switch meaning {
    case .flag(let flag):
      if member.isNull || member.bool == false { return nil }
      return "\(quoted(name)) is not a member and is ignored; it is the flag --\(flag)"
    case .member(let meant):
      if request.hasMember(meant) || meant == "account" && hasAccount(request) { return nil }
      let effect = meant == "account" ? #", and the request is for account "default""# : ""
      return "\(quoted(name)) is not a known member and is ignored\(effect); did you mean "
        + "\(quoted(meant))?"
    }
  }

  /// Whether a request may be a provider's response: its usage has no count of our own form.
  private func isResponse(_ request: JSONValue) -> Bool {
    guard tool.id == .price || tool.id == .charge else { return false }
    guard let usage = request.member("usage") else { return !request.hasMember("key") }
    return !["inputTokens", "outputTokens", "units"].contains { usage.hasMember($0) }
  }

  /// Whether the account of a request is known without its member.
  private func hasAccount(_ request: JSONValue) -> Bool {
    flags.has(.account) || request.hasMember("authorization") || flags.has(.authorization)
      || tool.id == .refund && (request.hasMember("transaction") || flags.has(.transaction))
  }
}

/// The meaning of a member that a tool does not read.
private enum LikelyMeaning {
  case member(String)
  /// A switch of the command line.
  case flag(String)
}

extension Tool {
  /// The names of its requests' members; empty for a tool without requests.
  fileprivate var requestNames: [String] { (requestMembers ?? []).map(\.name) }

  /// Returns the meaning of an unknown member. Nil if no name is close, or if another result or
  /// response has a member with that name.
  fileprivate func likelyMeaning(of name: String, inResponse: Bool) -> LikelyMeaning? {
    if let flag = Self.flagNames.first(where: { $0.name == name })?.flag,
      flags.contains(where: { $0.name == flag })
    {
      return .flag(flag)
    }
    if inResponse, Self.namesOfProviders.contains(name) { return nil }
    let names = requestNames
    let plain = Self.plain(name)
    if let other = Self.otherNames.first(where: { $0.name == plain && names.contains($0.meant) }) {
      return .member(other.meant)
    }
    // A price needs no account, and lines of logs may have such members.
    if !inResponse, id != .price, names.contains("account"), Self.namesOfPayers.contains(plain) {
      return .member("account")
    }
    guard
      let meant = names.first(where: { $0 != name && Self.plain($0) == plain })
        ?? NearestNames.misspelt(name, among: names)
    else { return nil }
    // Requests of one tool are the results or requests of another that works on accounts.
    let isOwn = ToolName.allCases.contains { tool in
      if tool == .store || tool == .doctor { return false }
      return tool.tool.requestNames.contains(name)
        || (tool.results ?? []).contains { $0.members?.contains { $0.name == name } == true }
    }
    return isOwn ? nil : .member(meant)
  }

  /// A name without capitals, `_` and `-`, as styles of names differ.
  private static func plain(_ name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  /// Switches that people write as members.
  private static let flagNames: [(name: String, flag: String)] = [
    ("amend", "amend"), ("arrears", "arrears"), ("dryRun", "dry-run"), ("dry_run", "dry-run"),
    ("dry-run", "dry-run"),
  ]

  /// Other words for members, each in the form of ``plain(_:)``.
  private static let otherNames: [(name: String, meant: String)] = [
    ("accountid", "account"), ("accounts", "account"), ("acct", "account"),
    ("customer", "account"), ("customerid", "account"), ("userid", "account"),
    ("ammount", "credits"), ("amount", "credits"), ("cost", "price"), ("creditamount", "credits"),
    ("creditsrefunded", "credits"), ("expiration", "expiresAt"), ("expire", "expiresAt"),
    ("expires", "expiresAt"), ("expiry", "expiresAt"), ("holdcredits", "hold"), ("kind", "type"),
    ("limit", "limits"), ("model", "models"), ("qty", "quantity"), ("quantities", "quantity"),
    ("spendlimit", "limits"), ("state", "status"), ("user", "account"), ("validuntil", "expiresAt"),
  ]

  /// Words for the one who pays, each in the form of ``plain(_:)``.
  private static let namesOfPayers = [
    "acc", "accountname", "client", "email", "member", "name", "org", "organization", "owner",
    "project", "team", "tenant", "username",
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

  /// A name without capitals, `_`, `-`, the word for tokens and a plural.
  private static func stem(_ name: String) -> String {
    var stem = plain(name)
    for end in ["s", "token", "s", "e"] where stem.hasSuffix(end) { stem.removeLast(end.count) }
    return stem
  }

  /// The count that a word of a usage probably means, if it is a usual one.
  static func count(called word: String) -> String? { counts[stem(word)] }

  /// Members of providers' responses whose names are like those of a request's own.
  private static let namesOfProviders = [
    "completed_at", "expires_at", "part", "service_tier", "updated_at", "user",
  ]
}
