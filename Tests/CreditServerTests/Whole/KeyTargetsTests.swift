import CreditBytes
import CreditModel
import TestSupport
import Testing

@testable import CreditServer

/// The check of ids and keys of a server's store, with and without all of them.
struct KeyTargetsTests {
  private let time = Timestamp(milliseconds: 1_000_000)

  private func targets(keepsAll: Bool = false) -> KeyTargets {
    KeyTargets(KeyHasher(seed: (1, 2)), keepsAll: keepsAll)
  }

  private func record(_ number: Int64, _ event: LedgerEvent) -> LedgerRecord {
    var account = Account(name: "a", registeredAt: time)
    account.recordCount = number
    return LedgerRecord(event: event, account: account)
  }

  private func charge(_ id: Name, key: Name?) -> Charge {
    let receipt = CreditReceipt(
      authorization: CreditAuthorization(id: id, account: "a", timestamp: time), model: "unit",
      usage: .units(1), creditsCharged: 1, newBalance: 0, timestamp: time)
    return Charge(receipt: receipt, key: key, taken: [])
  }

  /// Rows of kind, scope, id, account and number.
  private func rows(_ rows: [String]...) -> any ServerRows { IdentityRows(rows) }

  @Test func chargesAreNotKept() {
    var targets = targets()
    targets.lead(record(2, .charge(charge("c", key: "k"))), 2, of: nil)
    #expect(!targets.knows(KeyColumns(.authorization("c"))))
    #expect(!targets.agree)
    targets.compare(rows(["2", "", "c", "a", "2"], ["3", "a", "k", "a", "2"]))
    #expect(targets.agree)
  }

  @Test func authorizationsAreKeptUntilTheyEnd() {
    var targets = targets()
    let authorization = CreditAuthorization(id: "c", account: "a", timestamp: time)
    targets.lead(record(2, .authorization(authorization)), 2, of: nil)
    #expect(targets.knows(KeyColumns(.authorization("c"))))
    targets.lead(record(3, .void(authorization)), 3, of: nil)
    #expect(!targets.knows(KeyColumns(.authorization("c"))))
    targets.compare(rows(["2", "", "c", "a", "3"]))
    #expect(targets.agree)
  }

  @Test func anAmendedChargeIsFollowed() {
    var targets = targets()
    let first = record(2, .charge(charge("c", key: "k")))
    targets.lead(first, 2, of: nil)
    targets.lead(record(5, .amend(charge("c", key: "k"))), 5, of: first)
    // A later amendment follows one that is kept.
    targets.lead(record(6, .amend(charge("c", key: "k"))), 6, of: nil)
    targets.compare(rows(["2", "", "c", "a", "6"], ["3", "a", "k", "a", "6"]))
    #expect(targets.agree)
  }

  @Test(arguments: [
    [["2", "", "c", "a", "2"]],
    [["2", "", "c", "a", "2"], ["3", "a", "k", "a", "1"]],
    [["2", "", "c", "a", "2"], ["3", "b", "k", "a", "2"]],
    [["2", "", "c", "a", "2"], ["4", "a", "k", "a", "2"]],
    [["2", "", "c", "b", "2"], ["3", "a", "k", "a", "2"]],
    [["2", "", "c", "a", "2"], ["3", "a", "k", "a", "2"], ["3", "a", "l", "a", "2"]],
  ])
  func anyOtherRowIsFound(_ found: [[String]]) {
    for keepsAll in [false, true] {
      var targets = targets(keepsAll: keepsAll)
      targets.lead(record(2, .charge(charge("c", key: "k"))), 2, of: nil)
      targets.compare(IdentityRows(found))
      #expect(keepsAll ? !targets.misled.isEmpty || targets.hasOthers : !targets.agree)
    }
  }

  @Test func anIdThatIsUsedTwiceIsFound() {
    var targets = targets()
    targets.lead(record(2, .charge(charge("c", key: nil))), 2, of: nil)
    targets.lead(record(3, .charge(charge("c", key: nil))), 3, of: nil)
    targets.compare(rows(["2", "", "c", "a", "3"]))
    #expect(!targets.agree)
  }

  @Test func theWrongKeysAreNamed() {
    var targets = targets(keepsAll: true)
    targets.lead(record(2, .charge(charge("c", key: "k"))), 2, of: nil)
    targets.compare(rows(["3", "a", "k", "a", "1"]))
    #expect(targets.misled.map(\.key.id) == ["k"])
    let takesOther = targets.takeOther(KeyColumns(.authorization("c")))
    #expect(takesOther)
    #expect(!targets.hasOthers)
  }
}

/// Rows of `credit.identity`.
private final class IdentityRows: ServerRows {
  private let rows: [[String]]

  init(_ rows: [[String]]) { self.rows = rows }

  var count: Int { rows.count }

  func withText<Result>(_ row: Int, _ column: Int, _ body: (Bytes?) -> Result) -> Result {
    Array(rows[row][column].utf8).withBytes { body($0) }
  }
}
