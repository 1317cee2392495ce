import Foundation
import Testing

@testable import TestSupport

/// Runs lives of a store under crashes and faults. A seed that fails is printed; run it alone, or
/// more of them, with `CREDIT_SIMULATOR_SEEDS=FIRST[-LAST]`; alone, each of its batches is printed.
@Suite(.slow) struct SimulatorTests {
  @Test func everyCrashKeepsAcknowledgedBatches() async throws {
    let seeds = try seeds() ?? 1...310
    let start = ContinuousClock.now
    let lives = await Lives(of: seeds)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    for failure in lives.failures.sorted(by: { $0.key < $1.key }) {
      Issue.record("seed \(failure.key): \(failure.value)")
    }
    let total = lives.counts
    print(
      "\(total.summary) in \(Int(1000 * seconds)) ms,",
      "\(Int(Double(total.crashes) / seconds)) crashes a second")
    if seeds.count > 20 {
      #expect(total.doubtfulKept > 0 && total.doubtfulDropped > 0)
      #expect(total.kills > 0 && total.powerCuts > 0 && total.faults > 0)
    }
    if seeds.count > 300 { #expect(total.grownIndexes > 0) }
  }

  private func seeds() throws -> ClosedRange<UInt64>? {
    guard let text = ProcessInfo.processInfo.environment["CREDIT_SIMULATOR_SEEDS"] else {
      return nil
    }
    let ends = text.split(separator: "-").compactMap { UInt64($0) }
    let first = try #require(ends.first)
    return first...(ends.last ?? first)
  }
}

/// Results of many lives, divided among the processors.
private struct Lives: Sendable {
  private(set) var counts = Simulation.Counts()
  /// By seed.
  private(set) var failures: [UInt64: String] = [:]

  init(of seeds: ClosedRange<UInt64>) async {
    let share = min(seeds.count, ProcessInfo.processInfo.activeProcessorCount)
    await withTaskGroup(of: Lives.self) { group in
      for first in seeds.prefix(share) {
        group.addTask {
          Lives(
            stride(from: first, through: seeds.upperBound, by: share), tracing: seeds.count == 1)
        }
      }
      for await lives in group {
        counts += lives.counts
        failures.merge(lives.failures) { first, _ in first }
      }
    }
  }

  private init(_ seeds: some Sequence<UInt64>, tracing: Bool) {
    for seed in seeds {
      do {
        let simulation = try Simulation(seed: seed)
        simulation.tracing = tracing
        defer { counts += simulation.counts }
        try simulation.run()
      } catch {
        failures[seed] = "\(error)"
      }
    }
  }
}
