internal import CreditModel

/// The sessions of all files, and the models that were used in them, by number.
struct CodexSessions {
  struct Session {
    let id: String
    let project: String?
    /// The account that the session's own member names.
    let account: String?
    /// When it was made, or had its first event if its file does not say that.
    let created: Timestamp?
    /// Whether its file says what it is.
    let isTold: Bool
    /// The ids of the sessions whose events its file may copy.
    fileprivate(set) var ancestors: [String]
  }

  private var sessions: [Session] = []
  private var numbers: [String: Int32] = [:]
  private var models: [String] = []

  subscript(number: Int32) -> Session { sessions[Int(number)] }

  /// How many there are.
  var count: Int32 { Int32(sessions.count) }

  /// The number of a session.
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

  /// The number of a model; -1 for none, where the command line names one.
  /// - Throws: where it does not either.
  mutating func number(ofModel model: String?, _ collector: LogCollector) throws(LogProblem)
    -> Int32
  {
    guard let model else {
      if collector.namesModel { return -1 }
      throw .noModel
    }
    if let number = models.firstIndex(of: model) { return Int32(number) }
    models.append(model)
    return Int32(models.count - 1)
  }

  func model(_ number: Int32) -> String? { number < 0 ? nil : models[Int(number)] }
}
