import CreditModel
import CreditSystem
import Foundation

@testable import CreditStore
@testable import TestSupport

/// A store with every kind of record in it, and the lines of its journal to tamper with.
final class LedgerStore {
  let files: TemporaryStore
  let store: LocalStore
  private let gate: LocalCreditGate
  private(set) var now = Timestamp(milliseconds: 1_771_495_200_000)

  static let policy = """
    {"clock":"simulated","starterCredits":100,"overdraft":"allow","holdExpiresIn":"1h",
    "models":[{"id":"unit","creditsPerUnit":1}],"products":[{"id":"p","name":"P","credits":40}],
    "plans":[{"id":"pro","quota":30,"period":"day","rolloverMax":5}],
    "topUpLimit":{"count":5,"period":"minute"}}
    """

  /// Makes an empty store.
  init() throws {
    files = try TemporaryStore()
    store = LocalStore(at: files.directory.path)
    _ = try store.create(store.policyDraft(text: Array(Self.policy.utf8)), at: now)
    gate = Self.gate(store, ids: "made")
  }

  /// Makes a store with records of every kind.
  static func filled() throws -> LedgerStore {
    let ledger = try LedgerStore()
    try ledger.fill()
    return ledger
  }

  /// A gate of its own, whose ids begin with a word.
  static func gate(_ store: LocalStore, ids word: String) -> LocalCreditGate {
    var count = 0
    return LocalCreditGate(store) { _ in
      count += 1
      return Name(trusted: "\(word)-\(count)")
    }
  }

  func pass(_ seconds: Int64) {
    now = Timestamp(milliseconds: now.milliseconds + seconds * 1000)
  }

  @discardableResult
  func perform(_ requests: GateRequest...) throws -> [GateResult] {
    pass(1)
    return try gate.perform(requests, under: store.policy()).map { try $0.get() }
  }

  func charge(_ account: Name, key: Name, units: Int64) -> GateRequest {
    .charge(
      ChargeRequest(
        reference: .key(key, account: account), model: "unit",
        usage: .counts(.units(units)), time: now))
  }

  func charge(_ authorization: Name, units: Int64) -> GateRequest {
    .charge(
      ChargeRequest(
        reference: .authorization(authorization, account: nil), model: "unit",
        usage: .counts(.units(units)), time: now))
  }

  func authorize(_ account: Name, id: Name, hold: Credits? = nil) -> GateRequest {
    .authorize(AuthorizeRequest(account: account, id: id, hold: hold, time: now))
  }

  func topUp(
    _ account: Name, _ reference: TopUpRequest.Reference, _ credits: Credits,
    status: Transaction.Status = .completed, expiresAfter span: TimeSpan? = nil
  ) -> GateRequest {
    let request = TopUpRequest(
      account: account, reference: reference, grant: .credits(credits), time: now)
    request.status = status
    if let span {
      request.kind = .bonus
      request.terms.expiry = .after(span)
    }
    return .topUp(request)
  }

  /// A notification of the App Store, signed some seconds after the first possible one.
  func notify(
    _ account: Name, _ id: Name, _ type: String, signedAt seconds: Int64
  ) throws {
    let notification = AppStoreNotification(
      id: Name(trusted: "\(type)-\(seconds)"), type: type,
      signedDate: Timestamp(milliseconds: seconds * 1000))
    let effect: StoreKitRequest.Effect =
      switch type {
      case "REFUND": .takeBack(.whole)
      case "REFUND_REVERSED": .restore(notification)
      default: .grant
      }
    var request = StoreKitRequest(
      effect, StoreKitTransaction(id: id, productID: "p"), time: now)
    request.account = account
    request.notification = notification
    // The policy has five top-ups a minute.
    pass(20)
    try perform(.storeKit(request))
  }

  /// A charge of each account, all in one batch.
  func charge(_ accounts: [Name]) throws {
    pass(1)
    let requests = accounts.map { charge($0, key: "k", units: 1) }
    _ = try gate.perform(requests, under: store.policy()).map { try $0.get() }
  }

  /// Charges of an account, in batches of a thousand: enough for a journal of some size.
  func charge(_ account: Name, batches: Int) throws {
    for batch in 0..<batches {
      let requests = (0..<1000).map {
        charge(account, key: Name(trusted: "\(batch)-\($0)"), units: 0)
      }
      pass(1)
      _ = try gate.perform(requests, under: store.policy())
    }
  }

  /// Records of every kind, of three accounts.
  func fill() throws {
    try perform(authorize("alice", id: "a-1", hold: 20), authorize("bob", id: "b-1"))
    try perform(charge("a-1", units: 7), charge("zoë \"z\"", key: "k-1", units: 120))
    try perform(topUp("zoë \"z\"", .key("t-1"), 50), topUp("bob", .transaction("t-2"), 9))
    try perform(
      .refund(RefundRequest(reference: .authorization("a-1"), time: now)),
      .refund(RefundRequest(reference: .transaction("t-2"), reason: "wrong", time: now)))
    try perform(
      authorize("bob", id: "b-2", hold: 3), topUp("bob", .key("t-3"), 4, status: .pending))
    try perform(.void(VoidRequest(id: "b-2", time: now)), topUp("bob", .key("t-3"), 4))
    try perform(topUp("alice", .transaction("t-4"), 15, expiresAfter: .seconds(60)))
    try perform(
      .account(AccountRequest(account: "alice", plan: .set("pro"), time: now)),
      .account(AccountRequest(account: "bob", isExempt: true, time: now)))
    try perform(
      topUp("bob", .key("t-5"), 8),
      .transfer(TransferRequest(from: "bob", to: "alice", credits: 3, key: "g-1", time: now)))
    try perform(charge("alice", key: "k-2", units: 33), charge("b-1", units: 5))
    pass(300_000)
    try perform(charge("alice", key: "k-3", units: 1))
  }

  /// Charges with shares of accounts above: `member` has no credits, `team` above it 150, and
  /// `company` pays the rest.
  func fillPool() throws {
    try perform(topUp("company", .key("pool"), 1000), topUp("team", .key("pool"), 50))
    try perform(place("team", below: "company"))
    try perform(place("member", below: "team"))
    try perform(chargePool("p-1", 70), authorize("member", id: "h-1", hold: 120))
    try perform(authorize("member", id: "h-2", hold: 9))
    try perform(charge("h-1", units: 110), chargePool("p-2", 5))
    try perform(.void(VoidRequest(id: "h-2", time: now)), chargePool("p-3", 12))
    try perform(
      chargePool("p-1", 95, amends: true), chargePool("p-3", 4, amends: true),
      .refund(RefundRequest(reference: .authorization("h-1"), time: now)))
    try perform(topUp("company", .key("pool-2"), 7), topUp("team", .key("pool-2"), 3))
    try perform(chargePool("p-4", 8))
  }

  func place(_ account: Name, below parent: Name) -> GateRequest {
    var request = AccountRequest(account: account, time: now)
    request.parent = .set(parent)
    return .account(request)
  }

  /// A charge of `member`.
  func chargePool(_ key: Name, _ units: Int64, amends: Bool = false) -> GateRequest {
    .charge(
      ChargeRequest(
        reference: .key(key, account: "member"), model: "unit", usage: .counts(.units(units)),
        amends: amends, time: now))
  }

  // MARK: The journal's lines

  func lines() throws -> [[UInt8]] {
    try files.bytes(JournalFile.name).split(separator: newline).map { Array($0) + [newline] }
  }

  /// Puts other lines in place; the index goes, unless it is to be checked too.
  func write(_ lines: [[UInt8]], keepsIndex: Bool = false) throws {
    try files.write(lines.joined(), to: JournalFile.name)
    if !keepsIndex { try files.directory.removeFile(IndexFile.name) }
  }

  /// The line with a text replaced by another, and the right checksum.
  static func resealed(_ line: [UInt8], replacing old: String, with new: String) -> [UInt8] {
    let content = String(decoding: line.dropLast(JournalLine.sealByteCount), as: UTF8.self)
    return sealed(content.replacingOccurrences(of: old, with: new).utf8)
  }
}

extension CreditError {
  /// The line and offset that the error is about.
  var place: [Int] {
    var place: [Int] = []
    for detail in details {
      switch detail {
      case .line(let number): place.append(number)
      case .offset(let offset): place.append(offset)
      default: break
      }
    }
    return place
  }
}
