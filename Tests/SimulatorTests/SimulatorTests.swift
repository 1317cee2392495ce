import Foundation
import Testing

/// Runs lives of a store under crashes and faults. A seed that fails is printed; run it alone, or
/// more of them, with `CREDIT_SIMULATOR_SEEDS=FIRST[-LAST]`; alone, each of its batches is printed.
struct SimulatorTests {
  @Test func everyCrashLeavesWhatWasAcknowledged() throws {
    var seeds: ClosedRange<UInt64> = 1...60
    if let text = ProcessInfo.processInfo.environment["CREDIT_SIMULATOR_SEEDS"] {
      let ends = text.split(separator: "-").compactMap { UInt64($0) }
      let first = try #require(ends.first)
      seeds = first...(ends.last ?? first)
    }
    let start = ContinuousClock.now
    var total = Simulation.Counts()
    for seed in seeds {
      do {
        let simulation = try Simulation(seed: seed)
        simulation.tracing = seeds.count == 1
        defer { total += simulation.counts }
        try simulation.run(steps: 40)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    print("\(total.summary) in \(ContinuousClock.now - start)")
    if seeds.count > 20 {
      #expect(total.doubtfulKept > 0 && total.doubtfulDropped > 0)
      #expect(total.kills > 0 && total.powerCuts > 0 && total.faults > 0)
    }
  }
}

extension Simulation.Counts {
  static func += (left: inout Self, right: Self) {
    left.kills += right.kills
    left.powerCuts += right.powerCuts
    left.faults += right.faults
    left.batches += right.batches
    left.checks += right.checks
    left.doubtfulKept += right.doubtfulKept
    left.doubtfulDropped += right.doubtfulDropped
  }

  var summary: String {
    "\(kills) kills, \(powerCuts) power cuts, \(faults) faults in \(batches) batches: "
      + "\(doubtfulKept) unacknowledged batches kept, \(doubtfulDropped) dropped; \(checks) checks"
  }
}
