internal import CreditLogs
internal import CreditModel
internal import CreditStore

/// The last total of each thread of Codex, in a file beside the store or that of `--resume`.
///
/// `codex exec --json` prints the usage of a thread's runs together. Another run waits while the
/// file is open.
final class ThreadTotals {
  private let file: ResumeFile
  private var kept = LogPositions(format: "credit-run", accountMember: nil)

  /// - Returns: nil if the store is on a server, and the command line names no file.
  /// - Throws: `store_locked`, `io_error`, `permission_denied`; `invalid_request` if the file is
  ///   another one.
  init?(_ command: Command, _ store: any Store) throws(CreditError) {
    let folder = store is LocalStore ? store.location.path + "/" : nil
    guard
      let path = command.settings.arguments[.keptThreads]
        ?? folder.map({ $0 + StoreDirectory.threadsName })
    else { return nil }
    file = try ResumeFile(
      path, of: .run, system: command.host.system,
      waitMilliseconds: command.storeOptions.waitMilliseconds)
    try file.read(into: &kept)
  }

  struct Last: Equatable {
    /// The total that is charged; nil if it is not known.
    var charged: TokenUsage?
    /// The total of a run whose charge had begun, and its authorization. A crash, or a charge that
    /// failed, leaves it: then the authorization tells whether it is charged.
    var begun: Begun?

    struct Begun: Equatable {
      let total: TokenUsage
      let authorization: Name
    }
  }

  func last(of thread: String) -> Last { kept.totals[thread].map { Last(text: $0) } ?? Last() }

  func keep(_ last: Last, of thread: String) throws(CreditError) {
    kept.totals[thread] = last.text
    try file.replace(with: kept)
  }

  /// A thread's id tells when it was begun; clocks may differ by this much.
  private static let tolerance = TimeSpan.seconds(60)

  /// Returns true if a thread was begun before a time, by its id: a UUID of version 7.
  static func isOlder(_ thread: String, than time: Timestamp) -> Bool {
    let digits = thread.utf8.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 32, digits[12] == UInt8(ascii: "7"),
      let milliseconds = Int64(String(decoding: digits.prefix(12), as: UTF8.self), radix: 16)
    else { return false }
    return milliseconds < time.milliseconds - tolerance.milliseconds
  }
}

extension ThreadTotals.Last {
  /// The charged total; then, if a charge has begun, a space and its total and authorization.
  var text: String {
    let first = charged?.text ?? "-"
    return begun.map { "\(first) \($0.total.text) \($0.authorization.text)" } ?? first
  }

  /// Reads the form of `text`. Anything else is an unknown total.
  init(text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    charged = parts.first.flatMap { TokenUsage(text: String($0)) }
    if parts.count == 3, let total = TokenUsage(text: String(parts[1])), !parts[2].isEmpty {
      begun = Begun(total: total, authorization: Name(trusted: String(parts[2])))
    }
  }
}

extension TokenUsage {
  private static var countsOfCodex: [UsageCount] {
    [.inputTokens, .outputTokens, .cacheReadTokens, .cacheWriteTokens]
  }

  fileprivate var text: String {
    Self.countsOfCodex.map { "\(self[$0])" }.joined(separator: ",")
  }

  /// Reads the form of `text`; nil for other texts.
  fileprivate init?(text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { Int64($0) ?? -1 }
    guard numbers.count == Self.countsOfCodex.count, numbers.allSatisfy({ $0 >= 0 }) else {
      return nil
    }
    self.init(inputTokens: 0, outputTokens: 0)
    for (count, number) in zip(Self.countsOfCodex, numbers) { self[count] = number }
  }

  /// Returns the increase of these totals; all of them if the counter has restarted.
  func since(_ before: TokenUsage?) -> TokenUsage {
    guard let before, Self.countsOfCodex.allSatisfy({ self[$0] >= before[$0] }) else {
      return self
    }
    var risen = self
    for count in Self.countsOfCodex { risen[count] -= before[count] }
    return risen
  }
}
