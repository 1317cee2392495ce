import Testing

@testable import CreditServer

struct KnownAccountsTests {
  /// Returns the number of full batches before one uses known accounts.
  private func pause(of known: KnownAccounts) -> Int {
    var count = 0
    while !known.takeTurn() { count += 1 }
    return count
  }

  @Test func isPresumedUntilItIsRefused() {
    let known = KnownAccounts()
    #expect(pause(of: known) == 0)
    known.notePresumption(held: true)
    #expect(pause(of: known) == 0)
  }

  @Test func pausesLongerAfterEachRefusal() {
    let known = KnownAccounts()
    let pauses = (0..<9).map { _ in
      known.notePresumption(held: false)
      return pause(of: known)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 64, 64])
  }

  @Test func pausesShorterAgainOnceItHolds() {
    let known = KnownAccounts()
    for _ in 0..<5 { known.notePresumption(held: false) }
    #expect(pause(of: known) == 16)
    known.notePresumption(held: true)
    known.notePresumption(held: true)
    known.notePresumption(held: false)
    #expect(pause(of: known) == 8)
  }
}
