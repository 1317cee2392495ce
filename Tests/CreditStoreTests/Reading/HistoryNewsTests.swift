import CreditModel
import Testing

@testable import CreditStore
@testable import TestSupport

/// Pages of a history whose account's newest record is news of the App Store: it is no line, and
/// changes none.
struct HistoryNewsTests {
  /// The App Store's news of a purchase, and its final state.
  enum Purchase: CaseIterable {
    case granted, refunded, restored, neverGranted, grantedLate

    var notifications: [String] {
      switch self {
      case .granted: ["ONE_TIME_CHARGE", "ONE_TIME_CHARGE"]
      case .refunded: ["ONE_TIME_CHARGE", "REFUND", "REFUND"]
      case .restored: ["ONE_TIME_CHARGE", "REFUND", "REFUND_REVERSED", "REFUND_REVERSED"]
      case .neverGranted: ["REFUND", "REFUND"]
      case .grantedLate: ["REFUND", "REFUND_REVERSED", "REFUND_REVERSED"]
      }
    }

    var status: Transaction.Status {
      switch self {
      case .granted, .restored, .grantedLate: .completed
      case .refunded, .neverGranted: .refunded
      }
    }

    var isChanged: Bool { self != .granted && self != .neverGranted }
  }

  private func lines(_ ledger: LedgerStore, of account: Name?, from offset: Int) throws
    -> [HistoryLine]
  {
    let history = try LedgerHistory(
      of: account, in: ledger.store.books(), policy: ledger.store.policy(), now: ledger.now)
    var lines: [HistoryLine] = []
    try history.forEachLine(from: offset) { line in
      lines.append(line)
      return true
    }
    #expect(history.count == lines.count + offset)
    return lines
  }

  @Test(arguments: Purchase.allCases) func newsChangesNoPage(_ purchase: Purchase) throws {
    let ledger = try LedgerStore()
    try ledger.perform(ledger.topUp("amy", .transaction("first"), 1))
    let notifications = purchase.notifications
    for (number, type) in notifications.dropLast().enumerated() {
      try ledger.notify("amy", "t", type, signedAt: Int64(number))
    }
    try ledger.perform(ledger.topUp("amy", .transaction("last"), 1))
    let before = try lines(ledger, of: "amy", from: 0)
    try ledger.notify("amy", "t", notifications.last ?? "", signedAt: 10)
    let newest = try ledger.store.books().newest(of: .account("amy"))
    guard case .topUpNews = newest?.record.event else {
      Issue.record("the newest record is no news")
      return
    }
    for account in ["amy", nil] as [Name?] {
      for offset in 0...before.count {
        let page = try lines(ledger, of: account, from: offset)
        #expect(page == Array(before.dropFirst(offset)), "from \(offset)")
      }
    }
    let line = try #require(before.first { $0.id == "t" })
    #expect(line.status == purchase.status)
    #expect((line.updatedAt != nil) == purchase.isChanged)
    #expect(try ledger.store.verify().findings.isEmpty)
  }
}
