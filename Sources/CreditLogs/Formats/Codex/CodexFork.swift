internal import CreditModel

/// The beginning of a fork's file. It has copies of another session's events, written all at once,
/// mostly with the time of the fork.
struct CodexOpening {
  /// The longest pause within the copies; a call takes longer.
  static let pauseMilliseconds: Int64 = 2000

  private let created: Timestamp?
  private let hasParent: Bool
  private let isFork: Bool
  private var last: Timestamp?
  private var sawAncestor = false
  /// Whether the following events are the session's own.
  private(set) var isOver: Bool

  /// - Parameters:
  ///   - created: the creation time of the session.
  ///   - isFork: true if the file names it a fork, not only its parent.
  init(of created: Timestamp? = nil, isFork: Bool = false, hasParent: Bool = false) {
    self.created = created
    self.hasParent = hasParent
    self.isFork = isFork
    last = created
    isOver = !isFork
  }

  /// Returns true if an event of this time is a copy, by its place.
  func isCopy(at time: Timestamp?) -> Bool {
    if !isOver { return true }
    guard hasParent, let time, let created else { return false }
    return time < created
  }

  /// Takes a line: it is the session's own if it was written later than the copies, or states that
  /// a turn began since the fork.
  mutating func see(_ payload: JSONValue?, at time: Timestamp?) {
    if isOver { return }
    if let started = LogTime.of(payload?.member("started_at")), let created,
      started.milliseconds / 1000 >= created.milliseconds / 1000
    {
      isOver = true
    }
    guard let time, created.map({ time >= $0 }) ?? true else { return }
    if let last, time.milliseconds - last.milliseconds >= Self.pauseMilliseconds { isOver = true }
    last = time
  }

  /// Notes a session's description, its own or that of a copied session.
  mutating func see(metaOfItself isOwn: Bool) {
    if isOwn {
      if sawAncestor { isOver = true }
    } else {
      sawAncestor = true
      if isFork { isOver = false }
    }
  }
}

/// Tells copied events from a session's own.
struct CodexCopies {
  private struct Key: Hashable {
    let session: Int32
    let identity: UInt64
  }

  /// When each event of a session was, whose events others copy.
  private var originals: [Key: Timestamp] = [:]
  /// The sessions that these are of.
  private var known: Set<Int32> = []
  /// Each event's session that was created first, for copies in unmarked files.
  private var firsts: [UInt64: (session: Int32, time: Timestamp)] = [:]
  /// The unmarked sessions whose first two events were written at once.
  private var bursts: Set<Int32> = []
  /// The file whose first events are read, and whether all were copies so far.
  private var file: Int32 = -1
  private var isPrefix = false

  init(_ events: [CodexEvent], _ sessions: CodexSessions) {
    var copied: Set<Int32> = []
    for number in 0..<sessions.count {
      copied.formUnion(sessions[number].ancestors.compactMap(sessions.find))
    }
    for event in events {
      guard let time = event.time else { continue }
      let first = firsts[event.identity]
      if first.map({ sessions.isOlder(event.session, than: $0.session) }) ?? true {
        firsts[event.identity] = (event.session, time)
      }
    }
    var opening: CodexEvent?
    for event in events where !sessions[event.session].isTold {
      defer { opening = event }
      guard let opening, opening.session == event.session, let time = event.time,
        opening.time == sessions[event.session].created, let created = opening.time,
        time.milliseconds - created.milliseconds < CodexOpening.pauseMilliseconds
      else { continue }
      bursts.insert(event.session)
    }
    for event in events where copied.contains(event.session) {
      let key = Key(session: event.session, identity: event.identity)
      let time = event.time ?? .earliest
      originals[key] = min(time, originals[key] ?? time)
      known.insert(event.session)
    }
  }

  /// Returns true if an event is a copy. Has to be called in the order of reading.
  ///
  /// If an ancestor's own file was read too, the copies are the first events of the file that the
  /// ancestor also has, from before the fork. Otherwise they are the events at the place of copies.
  mutating func isCopy(_ event: CodexEvent, in sessions: CodexSessions) -> Bool {
    let session = sessions[event.session]
    if session.ancestors.isEmpty { return isUnannouncedCopy(event, of: session) }
    let ancestors = session.ancestors.compactMap(sessions.find).filter(known.contains)
    if ancestors.isEmpty { return event.isOpening }
    if event.file != file { (file, isPrefix) = (event.file, true) }
    guard isPrefix else { return false }
    isPrefix = ancestors.contains { ancestor in
      guard let time = originals[Key(session: ancestor, identity: event.identity)] else {
        return false
      }
      return session.created.map { time <= $0 } ?? true
    }
    return isPrefix
  }

  /// Returns true if an event at a file's beginning belongs to an older session.
  ///
  /// It does if it has the same time as there, or follows the session's creation sooner than a call
  /// can end. If the file has no creation time, its first event needs a second one that soon.
  private mutating func isUnannouncedCopy(_ event: CodexEvent, of session: CodexSessions.Session)
    -> Bool
  {
    if event.file != file { (file, isPrefix) = (event.file, true) }
    guard isPrefix else { return false }
    isPrefix = false
    if let first = firsts[event.identity], first.session != event.session, let time = event.time,
      let created = session.created, first.time <= time
    {
      isPrefix =
        time == first.time
        || first.time < created
          && (session.isTold || bursts.contains(event.session))
          && time.milliseconds - created.milliseconds < CodexOpening.pauseMilliseconds
    }
    return isPrefix
  }
}

/// The sessions of all files, and the models that were used in them, by number.
struct CodexSessions {
  struct Session {
    let id: String
    let project: String?
    /// The account that the session's own member names.
    let account: String?
    /// Creation time, or that of its first event if its file has none.
    let created: Timestamp?
    /// Whether its file has its metadata.
    let isTold: Bool
    /// The ids of the sessions whose events its file may copy.
    fileprivate(set) var ancestors: [String]
  }

  private var sessions: [Session] = []
  private var numbers: [String: Int32] = [:]
  private var models: [String] = []

  subscript(number: Int32) -> Session { sessions[Int(number)] }

  var count: Int32 { Int32(sessions.count) }

  mutating func number(
    of id: String, project: String? = nil, account: String? = nil, created: Timestamp? = nil,
    ancestor: String? = nil, isTold: Bool = true
  ) -> Int32 {
    if let number = numbers[id] { return number }
    sessions.append(
      Session(
        id: id, project: project, account: account, created: created, isTold: isTold,
        ancestors: ancestor.map { [$0] } ?? []))
    numbers[id] = count - 1
    return count - 1
  }

  /// Whether a session was created before another one; of those of one time the order of the ids
  /// decides, so that each run finds the same one.
  func isOlder(_ left: Int32, than right: Int32) -> Bool {
    let times = (self[left].created ?? .earliest, self[right].created ?? .earliest)
    return times.0 == times.1
      ? Name(trusted: self[left].id) < Name(trusted: self[right].id) : times.0 < times.1
  }

  /// Returns the number of a session; nil if none of its files was read.
  func find(_ id: String) -> Int32? { numbers[id] }

  mutating func add(ancestor id: String, to session: Int32) {
    if !self[session].ancestors.contains(id) { sessions[Int(session)].ancestors.append(id) }
  }

  /// Returns the number of a model; -1 if only the command line names one.
  /// - Throws: if that does not name one either.
  mutating func number(ofModel model: String?, _ collector: LogCollector) throws(LogProblem)
    -> Int32
  {
    guard let model else {
      if collector.selection.model != nil { return -1 }
      throw .noModel
    }
    if let number = models.firstIndex(of: model) { return Int32(number) }
    models.append(model)
    return Int32(models.count - 1)
  }

  func model(_ number: Int32) -> String? { number < 0 ? nil : models[Int(number)] }
}
