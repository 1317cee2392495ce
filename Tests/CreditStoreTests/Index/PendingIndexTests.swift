import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

struct PendingIndexTests {
  @Test func aPlaceThatIsKnownHoldsForOneBatch() throws {
    let model = try IndexModel()
    try model.append([.newAccount(1), .newAccount(2)])
    try model.commit()
    let pending = model.pending
    var place = PendingIndex.ChangedPlace()
    for offset in [10, 20] {
      pending.setAccountOffset(1, offset, at: &place)
      #expect(pending.accountOffset(1) == offset)
    }
    pending.removeAll()
    pending.setAccountOffset(0, 30)
    pending.setAccountOffset(1, 40, at: &place)
    #expect(pending.accountOffset(0) == 30)
    #expect(pending.accountOffset(1) == 40)
  }

  @Test func agreesWithADictionaryAndIsReused() {
    var random = SeededGenerator(seed: 1)
    let pending = PendingIndex(over: nil, PosixSystem())
    for round in [3000, 10, 500, 0, 20_000, 1] {
      var values: [Int: Int] = [:]
      var offsets: [Int] = []
      for step in 0..<round {
        let key = Int.random(in: 0..<max(1, round / 2), using: &random)
        // Some keys share a hash: their values tell them apart.
        let hash = UInt64(key / 2) &* 0x9E37_79B9_7F4A_7C15
        let value = step * 2 + key % 2
        let current = pending.lookup(hash) { $0 % 2 == key % 2 }
        #expect(current == values[key])
        pending.set(hash, value, replacing: current)
        values[key] = value
        if step % 3 == 0 {
          #expect(pending.appendAccount(step) == offsets.count)
          offsets.append(step)
        } else {
          let number = Int.random(in: 0..<offsets.count, using: &random)
          pending.setAccountOffset(number, step)
          offsets[number] = step
        }
      }
      #expect((0..<offsets.count).map { pending.accountOffset($0) } == offsets)
      #expect(pending.accountCount == offsets.count)
      #expect(pending.accountOffset(offsets.count) == nil)
      #expect(pending.isEmpty == (round == 0))
      pending.removeAll()
      #expect(pending.isEmpty)
      for key in 0..<round / 2 {
        #expect(pending.lookup(UInt64(key) &* 0x9E37_79B9_7F4A_7C15) { _ in true } == nil)
      }
    }
  }

  @Test func dropsAFailedBatch() throws {
    let model = try IndexModel(seed: 2)
    try model.write(400)
    model.pending.set(1, 99, replacing: nil)
    model.pending.setAccountOffset(0, 1)
    _ = model.pending.appendAccount(5)
    model.pending.removeAll()
    #expect(model.difference(model.pending) == nil)
  }
}
