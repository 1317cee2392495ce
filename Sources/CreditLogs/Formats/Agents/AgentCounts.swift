internal import CreditJSON
internal import CreditModel

/// The counts of a call as agents write them under names of their own, apart from one another.
struct AgentCounts: Equatable {
  var input: Int64 = 0
  var output: Int64 = 0
  var cacheRead: Int64 = 0
  var cacheWrite: Int64 = 0

  var isZero: Bool { self == AgentCounts() }

  /// Subtracts the cached tokens, read and written, from an input that includes them.
  /// - Throws: if they are more than the input.
  mutating func takeCacheOutOfInput() throws(LogProblem) {
    let cached = cacheRead.addingReportingOverflow(cacheWrite)
    guard !cached.overflow, cached.partialValue <= input else {
      throw .usage("the cached tokens are more than the input, which includes them")
    }
    input -= cached.partialValue
  }

  /// Adds output that the output leaves out.
  mutating func addOutput(_ count: Int64) throws(LogProblem) {
    let sum = output.addingReportingOverflow(count)
    if sum.overflow { throw .usage("the counts add up to more than \(Int64.max)") }
    output = sum.partialValue
  }

  /// The counts as a usage of our own form, which none below 0 is.
  func usage() throws(LogProblem) -> LoggedCounts {
    var text = UsageText()
    text.count("inputTokens", input)
    text.count("outputTokens", output)
    if cacheRead != 0 { text.count("cacheReadTokens", cacheRead) }
    if cacheWrite != 0 { text.count("cacheWriteTokens", cacheWrite) }
    return try text.usage()
  }
}

extension JSONValue {
  /// The elements of a member; empty if it is not an array.
  func list(_ name: StaticString) -> [JSONValue] { member(name).map { Array($0.elements) } ?? [] }

  /// Returns a call's cost in dollars from a member; nil for 0.
  ///
  /// Agents write 0 if they know no price.
  func costAboveZero(_ name: StaticString) -> String? {
    member(name)?.exactDecimal == .zero ? nil : cost(name)
  }
}

/// The folders where agents keep their logs.
enum AgentPlaces {
  /// The folders that a variable names, with commas between them, or else one in the home folder;
  /// in each of them a folder.
  static func folders(
    _ variable: (String) -> String?, named name: String, home: String, within: String = ""
  ) -> [String] {
    if let named = variable(name), !named.isEmpty {
      return named.utf8.split(separator: UInt8(ascii: ",")).map { (String($0) ?? "") + within }
    }
    return variable("HOME").map { [$0 + home + within] } ?? []
  }

  /// The folders of an extension of Visual Studio Code, and of its server.
  static func extensions(_ id: String, _ variable: (String) -> String?) -> [String] {
    guard let home = variable("HOME") else { return [] }
    let editors = [
      "/.config/Code", "/.config/Code - Insiders", "/.config/VSCodium", "/.config/Cursor",
      "/.vscode-server/data", "/.cursor-server/data",
      "/Library/Application Support/Code", "/Library/Application Support/Cursor",
    ]
    return editors.map { home + $0 + "/User/globalStorage/" + id + "/tasks" }
  }
}
