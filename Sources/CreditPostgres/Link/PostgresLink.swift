#if Postgres
  internal import CPostgres
  internal import CreditServer
  internal import CreditSystem

  /// A connection by libpq that never blocks: it waits in `poll(2)`, for reading and writing at
  /// once, as a server that is not read from stops reading, too.
  final class PostgresLink: ServerLink {
    private let connection: OpaquePointer
    private var kept: KeptStatements
    private var parameters = ParameterBytes()
    /// Statements that were sent ahead.
    private var sent: [Step] = []

    /// - Parameter connection: made and authenticated; the link ends it.
    init(_ connection: OpaquePointer, keeping support: KeptStatements.Support) {
      self.connection = connection
      kept = KeptStatements(support)
      // Neither fails on a connection at rest.
      PQsetnonblocking(connection, 1)
      PQenterPipelineMode(connection)
    }

    deinit { PQfinish(connection) }

    var ownsSession: Bool { kept.ownsSession }

    /// At rest the server sends little but why it closes the connection.
    var isClosed: Bool {
      while PQsocket(connection).isReadable {
        if PQconsumeInput(connection) == 0 { return true }
      }
      return PQstatus(connection) != CONNECTION_OK
    }

    func run(_ statements: [Statement], until deadline: Deadline) throws(ServerFault)
      -> [any ServerRows]
    {
      try checkUsable()
      // No other statement can be answered before all of these.
      isAbandoned = true
      let steps = try sent + queue(statements)
      defer { sent = [] }
      return try receive(steps, ahead: sent.count, until: deadline)
    }

    func send(_ statements: [Statement]) throws(ServerFault) {
      try checkUsable()
      isAbandoned = true
      // While answers are due libpq only reports that. The first of them was sent within a
      // transaction.
      guard !sent.isEmpty || PQtransactionStatus(connection) == PQTRANS_INTRANS else {
        throw .lost("no transaction is open")
      }
      sent += try queue(statements)
      isAbandoned = false
    }

    /// Whether answers are still due that no caller waits for.
    private var isAbandoned = false

    private func checkUsable() throws(ServerFault) {
      guard PQstatus(connection) == CONNECTION_OK, !isAbandoned else {
        throw .lost("the connection is closed")
      }
    }

    // MARK: Sending

    /// Queues the statements, their preparation for the next time, and the end of their pipeline.
    /// libpq sends as much as the server takes at once; the rest goes with the next ones, or during
    /// a wait for answers.
    private func queue(_ statements: [Statement]) throws(ServerFault) -> [Step] {
      var steps: [Step] = []
      steps.reserveCapacity(statements.count + 1)
      for statement in statements {
        parameters.set(statement.parameters)
        switch kept.use(of: statement) {
        case .once:
          try queue { sendOnce(statement.sql) }
          steps.append(.rows(isKept: false))
        case .onceAsking:
          try queue { sendOnce(statement.sql) }
          steps.append(.rows(isKept: false))
          parameters.set([])
          try queue { sendOnce("SELECT pg_catalog.pg_backend_pid()") }
          steps.append(.process)
        case .first(let name):
          try queue { sendPreparation(of: statement.sql, as: name) }
          try queue { sendPrepared(name) }
          steps.append(.preparation(of: statement.sql))
          steps.append(.rows(isKept: true))
        case .again(let name):
          try queue { sendPrepared(name) }
          steps.append(.rows(isKept: true))
        }
      }
      try queue { PQpipelineSync(connection) }
      steps.append(.end)
      return steps
    }

    /// The statement or command of an answer.
    private enum Step {
      case process
      case preparation(of: String)
      case rows(isKept: Bool)
      /// The end of a pipeline. It, too, can fail, as a transaction without COMMIT ends there.
      case end

      var concernsPrepared: Bool {
        switch self {
        case .rows(let isKept): isKept
        case .preparation: true
        case .process, .end: false
        }
      }
    }

    private func sendOnce(_ sql: String) -> Int32 {
      parameters.withPointers { types, values, lengths, formats in
        PQsendQueryParams(
          connection, sql, Int32(values.count), types.baseAddress, values.baseAddress,
          lengths.baseAddress, formats.baseAddress, 0)
      }
    }

    private func sendPreparation(of sql: String, as name: [CChar]) -> Int32 {
      parameters.withPointers { types, _, _, _ in
        PQsendPrepare(connection, name, sql, Int32(types.count), types.baseAddress)
      }
    }

    private func sendPrepared(_ name: [CChar]) -> Int32 {
      parameters.withPointers { _, values, lengths, formats in
        PQsendQueryPrepared(
          connection, name, Int32(values.count), values.baseAddress, lengths.baseAddress,
          formats.baseAddress, 0)
      }
    }

    private func queue(_ send: () -> Int32) throws(ServerFault) {
      if send() == 0 { throw lost() }
    }

    // MARK: Receiving

    /// Reads to the end of the last pipeline, which makes the link usable.
    /// - Parameter ahead: number of the first steps that were sent ahead: their rows are dropped.
    private func receive(
      _ steps: [Step], ahead: Int, until deadline: Deadline
    ) throws(ServerFault) -> [any ServerRows] {
      var rows: [any ServerRows] = []
      rows.reserveCapacity(steps.count)
      var failure: ServerFault?
      var answered = 0
      // After each answer comes a nil, and then the next; but none after the pipeline's end.
      var isEnded = true
      while true {
        guard let result = try nextResult(until: deadline) else {
          if isEnded { throw lost() }
          isEnded = true
          if case .end = steps[answered] { continue }
          answered += 1
          continue
        }
        isEnded = false
        let status = PQresultStatus(result)
        let answer = PostgresRows(result)
        switch status {
        case PGRES_PIPELINE_SYNC:
          isEnded = true
          answered += 1
          if answered < steps.count { continue }
          isAbandoned = false
          if let failure { throw failure }
          return rows
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
          switch steps[answered] {
          case .rows: if answered >= ahead { rows.append(answer) }
          case .process: kept.note(process: answer.int(0, 0), own: PQbackendPID(connection))
          case .preparation: break
          case .end: throw lost()
          }
        case PGRES_FATAL_ERROR, PGRES_PIPELINE_ABORTED:
          let step = steps[answered]
          if case .preparation(let sql) = step { kept.forget(sql) }
          if failure == nil { failure = try fault(answer, concernsPrepared: step.concernsPrepared) }
        default:
          throw .lost("the server sent an unexpected answer")
        }
      }
    }

    /// The next answer; nil after a statement's last.
    private func nextResult(until deadline: Deadline) throws(ServerFault) -> OpaquePointer? {
      while PQisBusy(connection) != 0 {
        // Statements that cannot be sent may have been answered all the same: that is read first.
        let isUnsent = PQflush(connection) == 1
        try PQsocket(connection).wait(isUnsent ? [.reading, .writing] : .reading, until: deadline)
        if PQconsumeInput(connection) == 0 { throw lost() }
      }
      return PQgetResult(connection)
    }

    // MARK: Failing

    /// Returns the fault of a pipeline's first error.
    /// - Throws: if no other answer comes after it.
    private func fault(
      _ answer: PostgresRows, concernsPrepared: Bool
    ) throws(ServerFault) -> ServerFault {
      // Without a code it is libpq that reports; a FATAL ends the connection.
      guard let code = answer.code, !answer.isFatal, PQstatus(connection) == CONNECTION_OK else {
        if concernsPrepared && answer.code == "08P01" { kept.giveUp() }
        throw .lost(answer.message)
      }
      if concernsPrepared && KeptStatements.isRefusal(code) {
        kept.giveUp()
        return .refused(.unknownPreparedStatement, message: answer.message)
      }
      return .refused(SQLState(code), message: answer.message)
    }

    private func lost() -> ServerFault { .lost(messageOfLibrary(PQerrorMessage(connection))) }
  }

  extension Int32 {
    /// True if bytes have come to this socket, or its end.
    var isReadable: Bool {
      (try? Readiness.reading.wait(on: self, until: MonotonicClock.milliseconds)) ?? false
    }

    /// Waits until this socket of libpq's is ready.
    /// - Throws: ``ServerFault/timedOut``, or ``ServerFault/lost(_:)`` if there is no socket.
    func wait(_ readiness: Readiness, until deadline: Deadline) throws(ServerFault) {
      guard self >= 0 else { throw .lost("the connection is closed") }
      let isReady: Bool
      do {
        isReady = try readiness.wait(on: self, until: deadline.milliseconds)
      } catch {
        throw .lost("\(error)")
      }
      if !isReady { throw .timedOut }
    }
  }
#endif
