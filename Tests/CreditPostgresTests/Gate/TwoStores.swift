#if Postgres
  import CreditJSON
  import CreditModel
  import CreditPostgres
  import CreditServer
  import CreditStore
  import CreditSystem
  import Foundation

  @testable import TestSupport

  /// A local store on a machine in memory, and one on a server: both get the same requests.
  final class TwoStores {
    let local: LocalStore
    let server: ServerStore
    private let localGate: any CreditGate
    /// Those of several machines, which take turns.
    private let serverGates: [any CreditGate]
    /// The local store's.
    private let machine: SimulatedMachine
    private let clockIsReal: Bool

    /// Returns the zone of a seed's policy, by a fixed offset: no machine needs a file for it.
    static func zone(of seed: UInt64) -> SlowZone? { seed % 2 == 0 ? .fixed : nil }

    init(_ cluster: Cluster, seed: UInt64, clockIsReal: Bool, faults: LinkFaults) throws {
      self.clockIsReal = clockIsReal
      machine = SimulatedMachine(seed: seed)
      machine.makeDirectory("/home")
      local = LocalStore(at: SimulatedMachine.storePath, system: SimulatedProcess(machine))
      let policy = RandomBatches.policy(clockIsReal: clockIsReal, in: Self.zone(of: seed))
      let text = Array(policy.utf8)
      _ = try local.create(local.policyDraft(text: text), at: Timestamp(milliseconds: 0))
      localGate = local.gate(makeID: Self.numbers())

      let url = try cluster.makeDatabase()
      func store(on system: any SystemCalls) throws -> ServerStore {
        var options = StoreOptions(lockTimeoutSeconds: 60)
        options.cacheFolder = FileManager.default.temporaryDirectory.path
        return ServerStore(
          StoreLocation(path: url, isNamed: true),
          FaultyConnector(try PostgresConnector(url: url), faults), options: options,
          system: system)
      }
      server = try store(on: PosixSystem())
      _ = try server.create(server.policyDraft(text: text), at: Timestamp(milliseconds: 0))
      let numbers = Self.numbers()
      let others = try Self.skews.map { skew in
        let machine = SimulatedMachine(seed: seed)
        machine.milliseconds += skew
        return try store(on: SimulatedProcess(machine))
      }
      serverGates = ([server] + others).map { $0.gate(makeID: numbers) }
    }

    /// By how much the clocks of other machines are set wrong, in milliseconds.
    private static let skews: [Int64] = [3_600_000, -86_400_000 * 400]

    /// Ids that are the same on both sides, as each makes the same ones.
    private static func numbers() -> (Timestamp) -> Name {
      var count = 0
      return { _ in
        count += 1
        return Name(trusted: "id-\(count)")
      }
    }

    /// Serves a batch on both. A real clock has the same day on both, as limits turn by it.
    /// - Returns: the answers, as text.
    func serve(_ requests: [GateRequest], under policy: Policy, gate: Int) throws
      -> (local: [String], server: [String])
    {
      if clockIsReal { machine.milliseconds = PosixSystem().currentMilliseconds() }
      let here = try localGate.perform(requests, under: policy)
      let there = try answers(of: serverGates[gate % serverGates.count], to: requests, policy)
      return (here.map(text), there.map(text))
    }

    /// The server's answers. If one was lost that may still be executed, a client does not learn
    /// its result, and asks once more. On a slow machine a gate leaves out the last ones after its
    /// connection has broken, and a client asks for these.
    private func answers(of gate: any CreditGate, to requests: [GateRequest], _ policy: Policy)
      throws(CreditError) -> [GateAnswer]
    {
      var answers: [GateAnswer] = []
      while answers.count < requests.count {
        let rest = Array(requests.dropFirst(answers.count))
        do {
          answers += try gate.perform(rest, under: policy)
        } catch {
          let isUnknown = error.details.contains {
            if case .outcome("unknown") = $0 { true } else { false }
          }
          guard isUnknown else { throw error }
          answers += try gate.perform(rest, under: policy)
        }
      }
      return answers
    }

    /// Without the times, as each side has its own clock, and the buckets, which are merged if they
    /// expire at one time; nor new ids, which may be made and not used.
    private func text(_ answer: GateAnswer) -> String {
      var writer = JSONWriter()
      switch answer {
      case .success(let result): writer.result(result)
      case .failure(let error): writer.error(error)
      }
      if !clockIsReal { return writer.string }
      return writer.string.replacing(Self.time, with: "TIME").replacing(Self.buckets, with: "")
        .replacing(Self.id, with: "ID")
    }

    nonisolated(unsafe) private static let time = /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
    nonisolated(unsafe) private static let id = /id-\d+/
    nonisolated(unsafe) private static let buckets = /"buckets":\[[^\]]*\],/

    /// A store's state of an account: all of its lines, and its balance.
    static func account(_ name: Name, in store: any Store, now: Timestamp) throws -> [String] {
      let (books, policy) = (try store.books(), try store.policy())
      var lines: [String] = []
      let history = try LedgerHistory(of: name, in: books, policy: policy, now: now)
      try history.forEachLine { line in
        var writer = JSONWriter()
        writer.historyLine(line)
        lines.append(writer.string)
        return true
      }
      var writer = JSONWriter()
      writer.accountView(try AccountProjection(books, policy: policy, now: now).account(name))
      return lines + [writer.string, "\(history.count)"]
    }
  }
#endif
