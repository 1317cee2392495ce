extension Simulation {
  struct Counts: Equatable, Sendable {
    var kills = 0
    var powerCuts = 0
    var faults = 0
    var batches = 0
    /// Batches that were not acknowledged and are there.
    var doubtfulKept = 0
    var doubtfulDropped = 0
    /// Lives in which the index outgrew its file.
    var grownIndexes = 0
    /// Checks of a crash's effects, and of the whole store.
    var checks = 0
    var wholeChecks = 0

    var crashes: Int { kills + powerCuts }

    static func += (left: inout Self, right: Self) {
      left.kills += right.kills
      left.powerCuts += right.powerCuts
      left.faults += right.faults
      left.batches += right.batches
      left.doubtfulKept += right.doubtfulKept
      left.doubtfulDropped += right.doubtfulDropped
      left.grownIndexes += right.grownIndexes
      left.checks += right.checks
      left.wholeChecks += right.wholeChecks
    }

    var summary: String {
      "\(kills) kills, \(powerCuts) power cuts, \(faults) faults in \(batches) batches: "
        + "\(doubtfulKept) unacknowledged batches kept, \(doubtfulDropped) dropped; "
        + "\(grownIndexes) grown indexes; \(checks) checks, \(wholeChecks) of the whole store"
    }
  }
}
