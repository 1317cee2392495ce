import Testing

@testable import TestSupport

/// The simulator finds planted faults.
@Suite(.slow) struct SabotageTests {
  /// The most lives until each is found.
  static let limit: UInt64 = 100

  @Test(arguments: Sabotage.allCases) func isFound(_ sabotage: Sabotage) throws {
    for seed in 1...Self.limit {
      do {
        try Simulation(seed: seed, sabotage: sabotage).run()
      } catch {
        print("\(sabotage) is found by seed \(seed): \(error)".prefix(150))
        return
      }
    }
    Issue.record("\(sabotage) is not found")
  }

  @Test func seedDecidesAll() throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let lives = [try Simulation(seed: seed), try Simulation(seed: seed)]
      for life in lives { try life.run() }
      #expect(lives[0].counts == lives[1].counts && lives[0].checkedBytes == lives[1].checkedBytes)
      #expect(lives[0].machine.random == lives[1].machine.random)
    }
  }
}
