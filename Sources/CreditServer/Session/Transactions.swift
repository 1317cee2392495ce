internal import CreditModel

extension ServerSession {
  /// Runs statements as one transaction that may be run again where others are in its way; where
  /// its commit is not answered, the caller is told that it may have been done.
  /// - Returns: the rows of each.
  @discardableResult
  func transact(_ statements: [Statement]) throws(CreditError) -> [any ServerRows] {
    endSnapshot()
    let deadline = deadline()
    var pause = RetryPause()
    while true {
      do throws(ServerFault) {
        let begin = LookUps.begin(options, until: deadline)
        let rows = try run(begin + statements + [Statement("COMMIT")], until: deadline)
        return Array(rows.dropFirst(begin.count).dropLast())
      } catch {
        rollBack(until: deadline)
        if case .refused = error, error.isRepeatable, !deadline.isPast {
          pause.wait()
          continue
        }
        if case .unreachable = error { throw self.error(of: error, outcome: "none") }
        throw self.error(of: error, outcome: error.endsConnection ? "unknown" : "none")
      }
    }
  }
}
