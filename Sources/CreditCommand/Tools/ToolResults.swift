internal import CreditJSON
internal import CreditModel

extension ToolName {
  /// Every result of the tool, except errors; nil if it prints none. Policies, catalogs and
  /// journals that it prints are not included.
  var results: [JSONShape]? {
    switch self {
    case .price: [.price, .listedModel, .listedProduct]
    case .authorize: JSONShape.authorizations
    case .charge: [.charge]
    case .topup: JSONShape.topUps
    case .balance: [.account, .total]
    case .account: [.account, .accountLine]
    case .history:
      [
        .historyLine, .openAuthorization, .page(of: .historyLine), .page(of: .openAuthorization),
        .receipt,
      ]
    case .refund: JSONShape.refunds
    case .transfer: [.transferResult]
    case .run: JSONShape.authorizations + [.charge]
    case .store:
      [.created, .storeInfo, .policyChecked, .policySet, .verified, .sealed, .rebuilt, .moved]
    case .doctor: [.examined]
    case .usage: [.chargeRequest]
    case .report, .reconcile: nil
    }
  }
}

extension Tool {
  /// The members of its results and of errors, without members within them.
  public var resultMembers: [String] {
    Self.outermost(((id.results ?? []) + [.error]).flatMap(\.paths))
  }

  fileprivate static func outermost(_ paths: [String]) -> [String] {
    paths.map { String($0.prefix { $0 != "." }) }.reduce(into: []) { names, name in
      if !names.contains(name) { names.append(name) }
    }
  }
}

extension ParsedArguments {
  /// The shapes of the results that this command line's run may print.
  private var results: [JSONShape] {
    switch tool.id {
    case .price:
      if self[.products] { return [.listedProduct] }
      if has(.importFile) { return [.any] }
      return self[.models] ? [.listedModel] : [.price, .listedModel]
    case .balance: return [self[.total] ? .total : .account]
    case .account: return [self[.all] ? .accountLine : .account]
    case .history:
      if has(.receipt) { return [.receipt] }
      let line: JSONShape = self[.open] ? .openAuthorization : .historyLine
      return [self[.page] ? .page(of: line) : line]
    case .store: return storeResults
    case .run: return []
    default: return tool.id.results ?? []
    }
  }

  private var storeResults: [JSONShape] {
    switch subcommand?.name {
    case "init": [.created]
    case "info": [.storeInfo]
    case "verify": [.verified, .sealed]
    case "seal": [.sealed]
    case "rebuild": [.rebuilt]
    case "import", "push": [.moved]
    case "policy":
      has(.checkPolicy) || has(.setPolicy)
        ? [.policyChecked, .policySet] : [PolicyShape.policy]
    default: [.any]
    }
  }

  /// Refuses a path that no result has. With `--pass` a request's own members are printed, too, and
  /// may have any name.
  func checkPaths() throws(UsageError) {
    guard let paths = memberPaths else { return }
    if self[.pass], !isWholeRequest { return }
    let results = results + [.error]
    for path in paths where !results.contains(where: { $0.allows(path) }) {
      let all = results.flatMap(\.paths)
      let nearest = Self.nearest(to: path, among: all)
      throw UsageError(
        "--get: no result of \(tool.name) has \(quoted(path))"
          + (nearest.isEmpty ? Self.list(of: all) : NearestNames.hint(nearest))
          + (path == "*" ? "; without --get all of it is printed" : ""))
    }
  }

  /// Says that an event has several results, if `--get` names a path that only they have.
  func remark(onPathsOf result: GateResult) -> String? {
    guard case .payments = result.bare,
      let path = memberPaths?.first(where: { !$0.hasPrefix("event") && !$0.hasPrefix("results") })
    else { return nil }
    return "--get: the event has several results: not \(quoted(path)), but results.0.\(path)"
  }

  /// The paths that `--get` names; nil if it is not given.
  var memberPaths: [String]? {
    self[.get]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the path that was probably meant, if any: one with the same ending, without indexes,
  /// or a similar one.
  private static func nearest(to path: String, among all: [String]) -> [Name] {
    let path = usualMembers[path] ?? path
    let ending = names(of: path)
    // Errors have members of many results: an error's is rarely meant.
    let isOfError = path.hasPrefix("err") || ["code", "message", "status"].contains(path)
    let all = isOfError ? all : all.filter { !$0.hasPrefix("error") }
    let same = all.filter { names(of: $0).hasSuffix(ending) }
    let depth: (String) -> Int = { $0.utf8.count(where: { $0 == UInt8(ascii: ".") }) }
    let shallowest = same.min { depth($0) < depth($1) }
    let alone = all.first { depth($0) == 0 && $0.lowercased().hasPrefix(path.lowercased()) }
    // "newBalance" is "balance", and "authorization.id" is "id".
    let last = all.first { name in
      depth(name) == 0
        && (path.hasSuffix("." + name)
          || path.hasSuffix(name.prefix(1).uppercased() + name.dropFirst()))
    }
    let meant = shallowest == nil ? last : alone ?? last
    if let shallowest, depth(shallowest) < 2 || meant == nil { return [Name(trusted: shallowest)] }
    if let meant { return [Name(trusted: meant)] }
    return Array(
      NearestNames.find(Name(trusted: path), among: all.map(Name.init(trusted:))).prefix(1))
  }

  /// The words of other programs, and the members that they mean here.
  private static let usualMembers = [
    "amount": "credits", "date": "timestamp", "tokens": "usage", "user": "account",
  ]

  /// Returns the end of a message with the first members of results that are not errors.
  private static func list(of paths: [String]) -> String {
    let names = Tool.outermost(paths).filter { $0 != "error" }
    if names.isEmpty { return "" }
    return "; results have " + names.prefix(listLimit).joined(separator: ", ")
      + (names.count > listLimit ? " and others" : "")
  }

  private static let listLimit = 10

  /// The names of a path without its indexes, each after a period, in lower case.
  private static func names(of path: String) -> String {
    path.lowercased().split(separator: ".").filter { Int($0) == nil }.map { "." + $0 }.joined()
  }
}
