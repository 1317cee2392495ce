#if Postgres
  import CreditServer

  @testable import TestSupport

  /// When links break, as a seed decides.
  final class LinkFaults {
    private var random: SeededGenerator
    /// One in how many pipelines is cut; 0 for none.
    var rarity = 0
    /// The same for those that write a transaction's records; nil if all are alike.
    var rarityOfWrites: Int?
    /// How many more are cut at most.
    var left = Int.max
    private(set) var lostBefore = 0
    private(set) var lostAfter = 0
    /// How often statements were sent of which the answers were waited for.
    fileprivate(set) var roundTrips = 0
    /// How often statements came to the server ahead.
    fileprivate(set) var sentAhead = 0
    /// The server's refusals.
    fileprivate(set) var refused: [SQLState] = []
    /// Called each time the server has refused a statement.
    var onRefusal: () -> Void = {}

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    enum Fault {
      /// The pipeline does not reach the server.
      case before
      /// All of it arrives there, but its answers are lost.
      case after
    }

    /// - Parameter writes: whether the next pipeline writes a transaction's records.
    func next(writes: Bool) -> Fault? {
      let rarity = writes ? rarityOfWrites ?? rarity : rarity
      guard rarity > 0, left > 0, random.once(in: rarity) else { return nil }
      left -= 1
      if random.once(in: 2) {
        lostBefore += 1
        return .before
      }
      lostAfter += 1
      return .after
    }
  }

  /// Makes connections that break.
  final class FaultyConnector: ServerConnector {
    private let connector: any ServerConnector
    private let faults: LinkFaults

    init(_ connector: any ServerConnector, _ faults: LinkFaults) {
      self.connector = connector
      self.faults = faults
    }

    func connect(until deadline: Deadline) throws(ServerFault) -> any ServerLink {
      FaultyLink(try connector.connect(until: deadline), faults)
    }
  }

  private final class FaultyLink: ServerLink {
    /// Nil once it has broken: the server then rolls back uncommitted work.
    private var link: (any ServerLink)?
    private let faults: LinkFaults

    init(_ link: any ServerLink, _ faults: LinkFaults) {
      self.link = link
      self.faults = faults
    }

    var isClosed: Bool { link?.isClosed ?? true }

    var ownsSession: Bool { link?.ownsSession ?? false }

    func send(_ statements: [Statement]) throws(ServerFault) {
      guard let link else { throw .lost("it broke before") }
      let fault = faults.next(writes: true)
      if fault != .before { try link.send(statements) }
      guard fault == nil else {
        self.link = nil
        throw .lost("cut")
      }
      faults.sentAhead += 1
    }

    func run(_ statements: [Statement], until deadline: Deadline) throws(ServerFault)
      -> [any ServerRows]
    {
      guard let link else { throw .lost("it broke before") }
      faults.roundTrips += 1
      let fault = faults.next(writes: statements.last?.sql == "COMMIT")
      if fault == nil { return try run(statements, over: link, until: deadline) }
      defer { self.link = nil }
      if fault == .after { _ = try run(statements, over: link, until: deadline) }
      throw .lost("cut")
    }

    private func run(
      _ statements: [Statement], over link: any ServerLink, until deadline: Deadline
    ) throws(ServerFault) -> [any ServerRows] {
      do throws(ServerFault) {
        return try link.run(statements, until: deadline)
      } catch {
        if case .refused(let state, _) = error {
          faults.refused.append(state)
          faults.onRefusal()
        }
        throw error
      }
    }
  }
#endif
