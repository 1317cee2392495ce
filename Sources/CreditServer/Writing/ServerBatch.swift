internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// A batch of requests as it is brought to a server: tried until it is on disk there, once.
final class ServerBatch {
  private let batch: Batch
  /// The places of its requests in the batch.
  private var places: Range<Int>
  private var policy: Policy
  private let policies: ServerPolicy
  private let known: KnownAccounts
  private let session: ServerSession
  private let ids: PinnedIDs
  private var names: BatchNames
  /// Tries whose commit was sent and never answered.
  private var unanswered: [Attempt] = []
  /// Whether the keys of this try are presumed to be new.
  private var presumesKeys = false
  /// Whether the deadline has just been set.
  private var isDeadlineFresh = true
  /// Times when the rules began and ended, on the monotonic clock.
  private var serving: Range<Int64> = 0..<0
  /// The accounts that the last try has registered first.
  private(set) var registered: [Name] = []

  /// A try: its answers if it is on disk, and its mark.
  private struct Attempt {
    let answers: [GateAnswer]
    let mark: RecordWrites.Row
    /// Whether it may yet begin: it holds no lock before it does.
    let isPresumed: Bool
  }

  /// Why a try has failed.
  private enum Failure: Error {
    case server(ServerFault)
    case rules(CreditError)
    /// The rules need more locks, or records after some were sent ahead; or a key exists.
    case narrow
    /// The policy differs from that of the try.
    case outdated
  }

  init(
    _ batch: Batch, _ places: Range<Int>, under policy: Policy, _ policies: ServerPolicy,
    _ known: KnownAccounts, _ session: ServerSession, makeID: @escaping (Timestamp) -> Name
  ) {
    self.known = known
    self.policies = policies
    self.batch = batch
    self.places = places
    self.policy = policy.ofGate
    self.session = session
    ids = PinnedIDs(makeID: makeID)
    names = BatchNames(of: batch, places)
  }

  /// - Returns: one answer a request; only for the first ones, if all would take too long.
  /// - Throws: if the server fails, with the outcome.
  func perform() throws(CreditError) -> [GateAnswer] {
    session.endSnapshot()
    policy.prices.seal(for: batch, places)
    defer { policy.prices.open() }
    let deadline = session.deadline()
    var pause = RetryPause()
    while true {
      do throws(Failure) {
        return try attempt(until: deadline)
      } catch {
        if presumesKeys { known.notePresumption(held: false) }
        switch error {
        case .narrow: session.rollBack(until: deadline)
        case .outdated:
          session.rollBack(until: deadline)
          policy.prices.open()
          do throws(CreditError) {
            policy = try policies.current().ofGate
            policy.prices.seal(for: batch, places)
          } catch {
            throw unanswered.isEmpty ? error : error.with(.outcome(outcome))
          }
        case .rules(let error):
          session.rollBack(until: deadline)
          if !policy.prices.findMissing(), !presumesKeys { throw error.with(.outcome(outcome)) }
        case .server(let fault):
          session.rollBack(until: deadline)
          // A server that is away may have taken the batch.
          let isRefused = if case .refused = fault { true } else { false }
          guard session.mayPass(fault) || !unanswered.isEmpty && !isRefused, !deadline.isPast else {
            throw session.error(of: fault, outcome: outcome)
          }
          // Others are not to wait so long for the next try.
          if fault.endsConnection, hasBeenIdle { places = places.prefix(max(1, places.count / 2)) }
          pause.wait()
        }
      }
    }
  }

  /// Whether the rules took about as long as the server waits for the next statement.
  private var hasBeenIdle: Bool { 2 * Int64(serving.count) > LookUps.idleMilliseconds }

  private func noteServing() { serving = serving.lowerBound..<MonotonicClock.milliseconds }

  private var outcome: String { unanswered.isEmpty ? "none" : "unknown" }

  // MARK: A try

  private func attempt(until deadline: Deadline) throws(Failure) -> [GateAnswer] {
    defer { isDeadlineFresh = false }
    presumesKeys =
      isDeadlineFresh && places.count >= KnownAccounts.keysMinimum && !names.refersToRecords
      && names.unplaced.isEmpty && known.takeTurn()
    if isDeadlineFresh, let answers = try presume(until: deadline) { return answers }
    if !names.unplaced.isEmpty {
      // Finds out whose the ids are that come without their account.
      let keys = names.unplaced.map { KeyColumns($0) }
      let rows = try run([LookUps.safeSettings, LookUps.owners(of: keys)], until: deadline)[1]
      names.widen(
        by: (0..<rows.count).compactMap { rows.text($0, 0).map { Name(trusted: $0) } })
    }
    // Waits for the end of a transaction that may still be making a new account: there is no row
    // to lock.
    for attempt in unanswered where attempt.mark.isOfNewAccount {
      _ = try run(
        LookUps.begin(session.options, until: deadline) + [
          LookUps.touch(attempt.mark.account), Statement("ROLLBACK"),
        ], until: deadline)
    }
    var books = try open(until: deadline)
    // The first key tells whether all of it is a repetition.
    if presumesKeys, let first = names.keys.first, books.sent(first) != nil { throw .narrow }
    if let settled = try settledAnswers(until: deadline) { return settled }
    var answers = try serve(books, inTransaction: true)
    while !books.isComplete {
      names.widen(by: books)
      if !books.hasAllLocks || books.writes.aheadCount > 0 { throw .narrow }
      let rows = try run(books.questions, until: deadline)
      books = try reading { [books] () throws(CreditError) in try ServerBooks(again: books, rows) }
      answers = try serve(books, inTransaction: true)
    }
    if presumesKeys, !books.addsAllKeys { throw .narrow }
    known.forget(names.accounts)
    try commit(books, answers, until: deadline)
    known.remember(books.lockedAccounts)
    if presumesKeys { known.notePresumption(held: true) }
    return answers
  }

  /// Serves one request by its account's known state, as if its keys were new.
  ///
  /// One statement writes it if that is true. It writes nothing if the account's row, the policy or
  /// the time of the store's previous record differ, or if the id or key exists.
  /// - Returns: nil if it has to be done in full.
  private func presume(until deadline: Deadline) throws(Failure) -> [GateAnswer]? {
    guard places.count == 1, session.options.lockTimeoutSeconds > 0, !names.refersToRecords,
      names.accounts.count == 1, names.unplaced.isEmpty, let name = names.accounts.first,
      known.ancestors(of: [name]).isEmpty, let account = known.take(name), session.isConnected(),
      let version = policies.version, known.takeTurn()
    else { return nil }
    let books = ServerBooks(
      [account], newest: [:], of: names.keys, now: LookUps.Now(presuming: session))
    let time = books.time
    // A record of a later time of the request's own might come before others' that are earlier.
    guard let answers = try? serve(books, inTransaction: false), books.isComplete,
      books.time == time, let mark = books.writes.first, books.addsAllKeys,
      let statement = books.writes.presuming(under: version)
    else { return nil }
    var statements = try settings(until: deadline)
    statements.append(statement)
    isDeadlineFresh = false
    do throws(ServerFault) {
      let rows = try session.run(statements, until: deadline)[statements.count - 1]
      known.notePresumption(held: rows.count == 1)
      guard rows.count == 1 else { return nil }
      session.note(serverMicroseconds: rows.int(0, 0) ?? 0)
      known.remember([account])
      return answers
    } catch {
      known.notePresumption(held: false)
      if !error.endsConnection && !error.isTimeout { return nil }
      if error.endsConnection {
        unanswered.append(Attempt(answers: answers, mark: mark, isPresumed: true))
      }
      throw .server(error)
    }
  }

  /// Locks the accounts, and fetches the records that the requests refer to.
  private func open(until deadline: Deadline) throws(Failure) -> ServerBooks {
    names.widen(by: known.ancestors(of: names.accounts))
    let sorted = names.accounts.filter { $0 != .nobody || names.writesClaims }.sorted()
    // One account is soon read again; of many the known ones are not.
    var known: [Name: ServerAccount] = [:]
    if places.count > 1 { for name in sorted { known[name] = self.known.take(name) } }
    let keys = names.keys
    let first = presumesKeys ? Array(keys.prefix(1)) : keys
    let asked = first + sorted.filter { known[$0] == nil }.map { .account($0) }
    let beginning =
      try isDeadlineFresh
      ? [LookUps.beginning] + settings(until: deadline)
      : LookUps.begin(session.options, until: deadline)
    let statements =
      beginning + LookUps.lock(payments: names.payments) + [
        LookUps.lock(sorted, waits: session.options.lockTimeoutSeconds > 0),
        LookUps.look(for: asked),
      ]
    let rows = Array(try run(statements, until: deadline).suffix(2))
    let now = LookUps.Now(rows[1])
    guard policies.isKnown(now.policyVersion) else { throw .outdated }
    session.note(serverMicroseconds: now.microseconds)
    let locked = try reading { () throws(CreditError) in try LookUps.LockedRows(rows[0]) }
    var newest = try reading { () throws(CreditError) in
      try LookUps.newest(in: rows[1], of: asked)
    }
    let changed = known.values.filter { !locked.areCurrent(for: $0) }.map(\.name)
    if !changed.isEmpty {
      let keys = changed.map { RecordKey.account($0) }
      let rows = try run([LookUps.newest(of: keys)], until: deadline)[0]
      let read = try reading { () throws(CreditError) in try LookUps.newest(in: rows, of: keys) }
      newest.merge(read) { _, new in new }
    }
    let accounts = try reading { () throws(CreditError) in
      try sorted.map { (name) throws(CreditError) in
        if let account = known[name], locked.areCurrent(for: account) { return account }
        return try locked.account(name, newest)
      }
    }
    return ServerBooks(accounts, newest: newest, of: keys, payments: names.payments, now: now)
  }

  private func settings(until deadline: Deadline) throws(Failure) -> [Statement] {
    do throws(ServerFault) {
      return try session.settings(until: deadline)
    } catch {
      throw .server(error)
    }
  }

  private func reading<Result>(_ body: () throws(CreditError) -> Result) throws(Failure) -> Result {
    do {
      return try body()
    } catch {
      throw .rules(error)
    }
  }

  /// - Parameter inTransaction: whether records may be written before all of them are there, as
  ///   they are committed together.
  private func serve(_ books: ServerBooks, inTransaction: Bool) throws(Failure) -> [GateAnswer] {
    let start = MonotonicClock.milliseconds
    serving = start..<start
    defer { noteServing() }
    let ledger = Ledger(
      books: books, policy: policy, systemTime: books.systemTime, makeID: ids.make(at:))
    var answers: [GateAnswer] = []
    answers.reserveCapacity(places.count)
    for place in places {
      ids.begin(place - places.lowerBound)
      do throws(CreditError) {
        answers.append(try ledger.answer(to: batch.requests[place]))
      } catch {
        // The others are served all the same, so that one look-up is for all of them.
        if books.isComplete { throw .rules(error) }
      }
      if inTransaction, books.isComplete { try sendAhead(of: books) }
    }
    registered = ledger.registered
    return answers
  }

  /// Makes the server write some of the records while the rules continue. Only the commit waits for
  /// them. Each time the server's wait for the next statement begins again: if the rules are too
  /// slow for it, it ends the transaction.
  private func sendAhead(of books: ServerBooks) throws(Failure) {
    guard books.hasAhead else { return }
    noteServing()
    if hasBeenIdle { return }
    let statements = books.takeAhead()
    do throws(ServerFault) {
      try session.send(statements)
    } catch {
      throw .server(error)
    }
  }

  private func commit(
    _ books: ServerBooks, _ answers: [GateAnswer], until deadline: Deadline
  ) throws(Failure) {
    guard let mark = books.writes.first else {
      // An unanswered try may still make another account, or begin, and do what is refused now.
      let refuses = answers.contains { if case .failure = $0 { true } else { false } }
      if unanswered.contains(where: { $0.mark.isOfNewAccount || $0.isPresumed && refuses }) {
        throw .rules(CreditError(.unavailable, "the server did not say whether it has committed"))
      }
      // The answers come from existing records.
      guard books.now.waitsForStandby, let account = books.lockedAccounts.first(where: \.isStored)
      else { return session.rollBack(until: deadline) }
      return try bringToStandby(account.name, until: deadline)
    }
    do throws(ServerFault) {
      _ = try session.run(books.writes.statements + [Statement("COMMIT")], until: deadline)
    } catch {
      if error.endsConnection {
        unanswered.append(Attempt(answers: answers, mark: mark, isPresumed: false))
      }
      throw .server(error)
    }
  }

  /// Commits a write of this transaction's own. The records read may not have reached a standby yet
  /// that commits wait for, if a session or the server ended during the wait.
  private func bringToStandby(_ account: Name, until deadline: Deadline) throws(Failure) {
    _ = try run([LookUps.rewrite(account), Statement("COMMIT")], until: deadline)
  }

  private func run(_ statements: [Statement], until deadline: Deadline) throws(Failure)
    -> [any ServerRows]
  {
    do throws(ServerFault) {
      return try session.run(statements, until: deadline)
    } catch {
      throw .server(error)
    }
  }

  // MARK: Tries that were not answered

  /// The answers of a try that turns out to be on disk. Its accounts are locked, so that it is
  /// over.
  private func settledAnswers(until deadline: Deadline) throws(Failure) -> [GateAnswer]? {
    for attempt in unanswered {
      let mark = attempt.mark
      let rows = try run([LookUps.record(of: mark.account, mark.sequence)], until: deadline)[0]
      guard rows.count == 1, rows.int(0, 0) == mark.position.value else { continue }
      let isSame = rows.withText(0, 1) { text in text.map { $0.elementsEqual(mark.text) } ?? false }
      guard isSame else { continue }
      try bringToStandby(mark.account, until: deadline)
      return attempt.answers
    }
    return nil
  }
}
