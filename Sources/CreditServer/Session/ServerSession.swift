internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// One process's connection to a server: made when it is first needed, and again after it breaks.
final class ServerSession {
  let location: StoreLocation
  let options: StoreOptions
  private let connector: any ServerConnector
  private let system: any SystemCalls
  private var link: (any ServerLink)?
  /// Whether the connection's own session has the settings of transactions that write.
  private var hasSettings = false
  /// By how much the server's clock is ahead of this machine's, in microseconds.
  private var clockOffset: Int64 = 0
  /// Number of connections so far: a restarted server, or another one in its place, has another
  /// number.
  private(set) var connectionCount = 0
  /// Whether a transaction for readings is open.
  private(set) var hasSnapshot = false

  /// How long a server may take to answer without waiting for others. Completion of a name on the
  /// command line does not wait long.
  private var answerSeconds: Int { options.isHasty ? 2 : 10 }

  init(
    _ location: StoreLocation, _ connector: any ServerConnector, _ options: StoreOptions,
    _ system: any SystemCalls
  ) {
    self.location = location
    self.connector = connector
    self.options = options
    self.system = system
  }

  /// Returns a new action's deadline, with waits for others and the server.
  func deadline() -> Deadline {
    .after(seconds: Int64(max(options.lockTimeoutSeconds, answerSeconds)))
  }

  /// Returns an answer's own deadline, as the work between answers takes time, too.
  private func answerDeadline(_ deadline: Deadline) -> Deadline {
    let own = Deadline.after(seconds: Int64(answerSeconds))
    guard let end = deadline.milliseconds, let ownEnd = own.milliseconds else { return .never }
    // The server's own limits come first: it reports that nothing was done.
    let (last, isTooLong) = max(end, ownEnd).addingReportingOverflow(1000)
    return isTooLong ? .never : Deadline(milliseconds: last)
  }

  // MARK: Time

  /// The same, in microseconds since 1970.
  var serverMicroseconds: Int64 { system.currentMicroseconds() + clockOffset }

  /// Notes the time of the server's clock.
  func note(serverMicroseconds: Int64) {
    clockOffset = serverMicroseconds - system.currentMicroseconds()
  }

  // MARK: Statements

  /// Runs statements in one go, over a new connection if needed.
  func run(_ statements: [Statement], until deadline: Deadline) throws(ServerFault)
    -> [any ServerRows]
  {
    let link = try connection(until: deadline)
    do throws(ServerFault) {
      return try link.run(statements, until: answerDeadline(deadline))
    } catch {
      if error.endsConnection { forgetLink() }
      throw error
    }
  }

  /// Sends statements of the open transaction before the next ones.
  func send(_ statements: [Statement]) throws(ServerFault) {
    guard let link else { throw .lost("the connection is closed") }
    do throws(ServerFault) {
      try link.send(statements)
    } catch {
      forgetLink()
      throw error
    }
  }

  /// Returns the link, connecting first if there is no link. If the server has no connection free,
  /// it waits for one as for a lock.
  private func connection(until deadline: Deadline) throws(ServerFault) -> any ServerLink {
    if let link { return link }
    let end = Deadline.after(seconds: Int64(options.lockTimeoutSeconds))
    var pause = RetryPause()
    while true {
      do throws(ServerFault) {
        let link = try connector.connect(until: deadline)
        self.link = link
        connectionCount += 1
        return link
      } catch {
        guard case .refused(.tooManyConnections, _) = error, !end.isPast else { throw error }
        pause.wait()
      }
    }
  }

  /// Whether there is a connection that the server has not closed while idle. Only called between
  /// transactions: the next one then has a new connection.
  func isConnected() -> Bool {
    if link?.isClosed ?? true { forgetLink() }
    return link != nil
  }

  private func forgetLink() {
    link = nil
    hasSnapshot = false
    hasSettings = false
  }

  /// Returns the settings at the beginning of a transaction that writes. A session of this
  /// connection's own has them from the third transaction on, which saves a statement each time.
  /// - Parameter deadline: a new one, as those settings have a fixed timeout.
  func settings(until deadline: Deadline) throws(ServerFault) -> [Statement] {
    guard let link, link.ownsSession else { return [LookUps.settings(options, until: deadline)] }
    if !hasSettings {
      let whole = self.deadline()
      _ = try run([LookUps.settings(options, until: whole, isLocal: false)], until: deadline)
      hasSettings = true
    }
    return []
  }

  /// Whether the same may succeed if it is tried again.
  func mayPass(_ fault: ServerFault) -> Bool {
    if case .unreachable = fault { return connectionCount > 0 }
    return fault.isRepeatable
  }

  func rollBack(until deadline: Deadline) {
    hasSnapshot = false
    if link == nil { return }
    _ = try? run([Statement("ROLLBACK")], until: deadline)
  }

  // MARK: Reading

  /// Runs statements that change nothing, again if the connection has broken meanwhile. Within a
  /// snapshot that is an error, as another one would be of another moment.
  /// - Throws: `unavailable`, `no_store`, `permission_denied`, `io_error`.
  /// - Parameter deadline: nil for an action that waits for no others.
  func ask(_ statements: [Statement], until end: Deadline? = nil) throws(CreditError)
    -> [any ServerRows]
  {
    let deadline = end ?? deadline()
    let isInSnapshot = hasSnapshot
    var pause = RetryPause()
    while true {
      do throws(ServerFault) {
        // They are a transaction of their own, or a part of one that has safe settings.
        if isInSnapshot { return try run(statements, until: deadline) }
        return Array(try run([LookUps.safeSettings] + statements, until: deadline).dropFirst())
      } catch {
        if isInSnapshot {
          rollBack(until: deadline)
        } else if mayPass(error), !deadline.isPast {
          pause.wait()
          continue
        }
        throw self.error(of: error, outcome: nil)
      }
    }
  }

  func ask(_ statement: Statement, until end: Deadline? = nil) throws(CreditError)
    -> any ServerRows
  {
    try ask([statement], until: end)[0]
  }

  /// Begins a snapshot: later reads see the books as of one moment.
  func beginSnapshot() throws(CreditError) {
    endSnapshot()
    // The first statement connects if there is no connection, or if it has broken.
    _ = try ask(Statement("SELECT 1", isKept: true))
    do throws(ServerFault) {
      _ = try run(
        [
          Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), LookUps.safeSettings,
        ], until: deadline())
    } catch {
      throw self.error(of: error, outcome: nil)
    }
    hasSnapshot = true
  }

  /// Makes later queries see the books of their time.
  func endSnapshot() {
    if hasSnapshot { rollBack(until: deadline()) }
  }

  // MARK: Errors

  /// Returns the error of a fault for the current requests.
  /// - Parameter outcome: the result of the requests, if they write.
  func error(of fault: ServerFault, outcome: String?) -> CreditError {
    let error = CreditError(fault, at: location)
    return outcome.map { error.with(.outcome($0)) } ?? error
  }

  /// Runs statements as one transaction, again if others are in its way. If its commit is not
  /// answered, the error states that it may have been done.
  func transact(_ statements: [Statement]) throws(CreditError) {
    endSnapshot()
    let deadline = deadline()
    var pause = RetryPause()
    while true {
      do throws(ServerFault) {
        let begin = LookUps.begin(options, until: deadline)
        _ = try run(begin + statements + [Statement("COMMIT")], until: deadline)
        return
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

/// Pause before a batch is tried again: longer each time, up to a twentieth of a second.
struct RetryPause {
  private var milliseconds = 1
  private static let limit = 50

  mutating func wait() {
    MonotonicClock.sleep(milliseconds: milliseconds)
    milliseconds = min(2 * milliseconds, Self.limit)
  }
}
