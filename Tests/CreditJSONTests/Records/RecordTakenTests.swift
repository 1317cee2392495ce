import CreditModel
import Testing

@testable import CreditJSON

/// Which buckets paid a charge, which its record says only where it has to.
@Suite struct RecordTakenTests {
  private let time = Timestamp(milliseconds: 1_771_495_200_000)
  private let alice = Name(trusted: "alice")

  private func record(_ credits: Credits, taken: [Bucket], leaving buckets: [Bucket])
    -> LedgerRecord
  {
    var account = Account(name: alice, registeredAt: time)
    account.buckets = buckets
    let receipt = CreditReceipt(
      authorization: CreditAuthorization(id: Name(trusted: "a-1"), account: alice, timestamp: time),
      model: Name(trusted: "unit"), usage: .units(credits), creditsCharged: credits,
      newBalance: account.balance, timestamp: time)
    return LedgerRecord(
      event: .charge(Charge(receipt: receipt, key: Name(trusted: "k-1"), taken: taken)),
      account: account)
  }

  /// The record's text, after it has been read back both ways.
  private func text(_ record: LedgerRecord) throws -> String {
    var writer = JSONWriter()
    writer.openRecord(record, previous: nil)
    writer.endObject()
    let document = try JSONDocument(writer.withBytes { Array($0) })
    let slow = try #require(document.withRoot { RecordDecoder.decode($0) })
    #expect(slow.record == record)
    var reader = RecordReader()
    let fast = try #require(writer.withBytes { reader.read($0) })
    #expect(fast.record == record)
    return writer.string
  }

  @Test func theFirstBucketIsNotNamed() throws {
    let starter = Bucket(kind: .starter, credits: 43)
    let purchased = Bucket(kind: .purchased, credits: 5)
    let taken = [Bucket(kind: .starter, credits: 7)]
    #expect(!(try text(record(7, taken: taken, leaving: [starter, purchased])).contains("taken")))
    #expect(!(try text(record(0, taken: [], leaving: [starter])).contains("taken")))
    let debt = Bucket(kind: .purchased, credits: -3)
    let owed = [Bucket(kind: .purchased, credits: 2)]
    #expect(!(try text(record(2, taken: owed, leaving: [debt])).contains("taken")))
  }

  @Test func othersAre() throws {
    let starter = Bucket(kind: .starter, credits: 7)
    let purchased = Bucket(kind: .purchased, credits: 5)
    // It is empty now.
    #expect(try text(record(7, taken: [starter], leaving: [])).contains("taken"))
    #expect(try text(record(7, taken: [starter], leaving: [purchased])).contains("taken"))
    let both = [starter, Bucket(kind: .purchased, credits: 1)]
    #expect(try text(record(8, taken: both, leaving: [purchased])).contains("taken"))
    let bonus = Bucket(kind: .bonus, credits: 7, expiresAt: time)
    let laterBonus = Bucket(kind: .bonus, credits: 7, expiresAt: .latest)
    #expect(try text(record(7, taken: [bonus], leaving: [laterBonus])).contains("taken"))
  }

  @Test func aRecordThatNamesItAllTheSameIsRead() throws {
    let taken = [Bucket(kind: .starter, credits: 7)]
    let record = record(7, taken: taken, leaving: [Bucket(kind: .starter, credits: 43)])
    let text = try text(record).replacing(
      #""creditsCharged":7,"#,
      with: #""creditsCharged":7,"taken":[{"kind":"starter","credits":7}],"#)
    let document = try JSONDocument(Array(text.utf8))
    #expect(document.withRoot { RecordDecoder.decode($0) }?.record == record)
    var reader = RecordReader()
    #expect(Array(text.utf8).withUnsafeBytes { reader.read($0) } == nil)
  }

  @Test func aRefundAlwaysNamesThem() throws {
    let taken = [Bucket(kind: .purchased, credits: 5)]
    let charged = record(5, taken: taken, leaving: [Bucket(kind: .starter, credits: 7)])
    guard case .charge(let charge) = charged.event else { return }
    var refunded = charged
    refunded.event = .chargeRefund(charge, Refund(credits: 5, newBalance: 7, timestamp: time))
    let text = try text(refunded)
    #expect(text.contains(#""taken":[{"kind":"purchased","credits":5}]"#))
    let document = try JSONDocument(
      Array(text.replacing(#""taken":[{"kind":"purchased","credits":5}],"#, with: "").utf8))
    #expect(document.withRoot { RecordDecoder.decode($0) } == nil)
  }

  @Test func aChargeThatNothingPaidIsNoRecord() throws {
    let record = record(7, taken: [Bucket(kind: .starter, credits: 7)], leaving: [])
    let text = try text(record).replacing(
      #""taken":[{"kind":"starter","credits":7}],"#, with: "")
    let document = try JSONDocument(Array(text.utf8))
    #expect(document.withRoot { RecordDecoder.decode($0) } == nil)
    var reader = RecordReader()
    #expect(Array(text.utf8).withUnsafeBytes { reader.read($0) } == nil)
  }
}
