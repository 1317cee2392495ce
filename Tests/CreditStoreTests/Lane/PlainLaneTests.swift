import CreditJSON
import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// The common way is the oracle: the same requests, one by one and as runs, leave the same journal
/// and get the same answers.
struct PlainLaneTests {
  @Test(arguments: 1...60 as ClosedRange<UInt64>) func bothWaysWriteTheSame(seed: UInt64) throws {
    let one = try Store(seed: seed)
    let other = try Store(seed: seed)
    var requests = LaneRequests(seed: seed)
    var lineCount = 0
    for _ in 0..<25 {
      let batch = requests.batch()
      let passed = Int64(requests.random.pick(0, 0, 1, 40, 7_200_000, 90_000_000))
      one.machine.milliseconds += passed
      other.machine.milliseconds += passed
      let policy = requests.policy
      let answers = try one.gate.perform(batch, under: policy)
      let given = GivenAnswer.all(
        try other.gate.perform(BatchPart.gathering(batch), under: policy))
      try #require(given.count == answers.count)
      for (answer, given) in zip(answers, given) {
        if given.isLine { lineCount += 1 }
        #expect(text(of: .answer(answer)) == text(of: given))
      }
    }
    let journal = one.journal
    #expect(journal.count > 10_000 && journal == other.journal)
    #expect(try other.store.verify().findings.isEmpty)
    // Many are served by the lane, and what it leaves is tried, too.
    #expect(lineCount > 20)
  }

  /// A run of requests to a process that has just opened a store finds what others have written.
  @Test func aNewProcessFindsKeysAccountsAndAuthorizations() throws {
    let here = try Store(seed: 1)
    var requests = LaneRequests(seed: 1)
    _ = try here.gate.perform(BatchPart.gathering(requests.batch()), under: requests.policy)
    let charge = ChargeRequest(
      reference: .key("again", account: "plain"), model: "gpt",
      usage: .counts(.tokens(TokenUsage(inputTokens: 100, outputTokens: 50))))
    let run = BatchPart.gathering([.charge(charge), .charge(charge)])
    let policy = requests.policy
    let first = GivenAnswer.all(try here.gate.perform(run, under: policy))
    let again = GivenAnswer.all(try here.makeGate().perform(run, under: policy))
    #expect(first.count == 2 && again.count == 2)
    for answer in [first[1], again[0], again[1]] {
      #expect(text(of: answer).hasSuffix(#","replayed":true}"#))
    }
  }

  /// `credit-authorize --pass`: an authorization stands in the place of its id, or behind all.
  @Test(arguments: [
    (
      #"{"account":"plain","model":"gpt","usage":{"inputTokens":1,"outputTokens":2}}"#,
      #"{"account":"plain","model":"gpt","usage":{"inputTokens":1,"outputTokens":2},"#
        + #""authorization":{"id":"00000000-0000-7000-8000-000000000001","#
    ),
    (
      #"{"authorization":"a-1","account":"plain","key":"k"}"#,
      #"{"authorization":{"id":"a-1","account":"plain","#
    ),
  ])
  func resultsAreAddedToRequests(text: String, start: String) throws {
    let here = try Store(seed: 3)
    here.machine.milliseconds = 0
    var requests = PlainRequests(.authorize, isPassed: true)
    let bytes = Array((text + String(repeating: " ", count: 64)).utf8)
    #expect(bytes.withUnsafeBytes { requests.take(from: $0, line: 1) } == text.utf8.count)
    let taken = requests.takeRun()
    let run = try #require(taken)
    let answers = GivenAnswer.all(
      try here.gate.perform([BatchPart.run(run)], under: LaneRequests(seed: 3).policy))
    guard answers.count == 1, case .line(let line) = answers[0] else {
      return #expect(Bool(false))
    }
    #expect(line.hasPrefix(start), "\(line)")
    #expect(line.hasSuffix(#","balance":900}"#))
    #expect(run.passedText(0) == Array(text.utf8))
    // What the general way prints: the request's members, replaced or followed by the result's.
    let known = try JSONDocument(Array(line.utf8)).withRoot { value in
      value.members.map { $0.name.string ?? "" }
    }
    #expect(Set(known).count == known.count && known.last == "balance")
  }

  /// A damaged index is found before a key is taken to be new.
  @Test func aDamagedIndexIsNotBelieved() throws {
    let here = try Store(seed: 2)
    let charges = (0..<50).map { number in
      GateRequest.charge(
        ChargeRequest(
          reference: .key(Name(trusted: "k\(number)"), account: "plain"), model: "gpt",
          usage: .counts(.tokens(TokenUsage(inputTokens: 100, outputTokens: 50)))))
    }
    let policy = LaneRequests(seed: 2).policy
    _ = try here.gate.perform(BatchPart.gathering(charges), under: policy)
    let index = try #require(here.machine.storeFile(IndexFile.name))
    let layout = IndexLayout(seed: (0, 0))
    [UInt8](repeating: 0, count: index.count - layout.slotsOffset).withUnsafeBytes {
      index.write($0, at: layout.slotsOffset)
    }
    let again = GivenAnswer.all(
      try here.makeGate().perform(BatchPart.gathering(charges), under: policy))
    #expect(again.count == 50)
    for answer in again { #expect(text(of: answer).hasSuffix(#","replayed":true}"#)) }
  }

  private func text(of answer: GivenAnswer) -> String {
    switch answer {
    case .line(let line): line
    case .answer(.success(let result)): result.line
    case .answer(.failure(let error)): "\(error.code.rawValue): \(error.message)"
    }
  }

  /// A store on a machine in memory.
  private final class Store {
    let machine: SimulatedMachine
    let store: LocalStore
    let gate: LocalCreditGate
    private var idCount = 0

    init(seed: UInt64) throws {
      machine = SimulatedMachine(seed: seed)
      machine.makeDirectory("/home")
      store = LocalStore(
        StoreLocation(path: SimulatedMachine.storePath, isNamed: true), options: StoreOptions(),
        system: SimulatedProcess(machine, number: 1))
      _ = try store.create(
        store.policyDraft(text: Array(LaneRequests.policyText.utf8)),
        at: Timestamp(milliseconds: machine.milliseconds))
      gate = Self.gate(store)
    }

    private static func gate(_ store: LocalStore) -> LocalCreditGate {
      var count = 0
      return LocalCreditGate(store) { time in
        count += 1
        return UUIDText.name(at: time, 0, UInt64(count))
      }
    }

    /// Another process, whose ids are others.
    func makeGate() throws -> LocalCreditGate {
      let store = LocalStore(
        StoreLocation(path: SimulatedMachine.storePath, isNamed: true), options: StoreOptions(),
        system: SimulatedProcess(machine, number: 2))
      return LocalCreditGate(store) { Name(trusted: "other-\($0.text)") }
    }

    var journal: [UInt8] { machine.storeFile(JournalFile.name)?.bytes ?? [] }
  }
}

/// Requests of which most are plain, to accounts of which some are not.
private struct LaneRequests {
  var random: SeededGenerator
  let policy: Policy
  private var count = 0
  /// Those that are mostly open.
  private var authorizations: [Name] = []

  static let policyText = #"""
    {"version":1,"starterCredits":900,"lowBalance":[700,20],"minimumCharge":1,
    "models":[{"id":"gpt","tokens":{"inputUSDPer1M":2500000,"outputUSDPer1M":10000000}},
    {"id":"tiered","tokens":{"inputUSDPer1M":1250000,"outputUSDPer1M":10000000,
    "cacheReadUSDPer1M":125000,"tiers":[{"aboveInputTokens":2000,"inputUSDPer1M":2500000,
    "outputUSDPer1M":15000000}]}},
    {"id":"marked","markup":"1.5","tokens":{"inputUSDPer1M":1,"outputUSDPer1M":3}},
    {"id":"odd","tokens":{"inputUSDPer1M":"33.333333","outputUSDPer1M":0}},
    {"id":"units","creditsPerUnit":2},{"id":"free","free":true}],
    "products":[{"id":"p","name":"P","credits":40,"price":"9.90","currency":"EUR"},
    {"id":"q","name":"Q","credits":400}],
    "plans":[{"id":"daily","quota":20,"period":"day","rolloverMax":5}]}
    """#

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 5)
    guard let document = try? JSONDocument(Array(Self.policyText.utf8)),
      let policy = try? document.withRoot({ value throws(CreditError) in
        try PolicyDecoder.decode(value)
      })
    else { preconditionFailure("the policy of a test") }
    self.policy = policy
  }

  mutating func batch() -> [GateRequest] {
    (0..<(1 + random.number(below: 40))).map { _ in request() }
  }

  private mutating func name(_ letter: String) -> Name {
    count += 1
    return Name(trusted: "\(letter)\(max(0, count - (random.once(in: 4) ? 9 : 0)))")
  }

  private mutating func account() -> Name {
    random.pick("plain", "default", "second", "name with spaces", "quo\"te", "ünicode", "fifth")
  }

  private mutating func request() -> GateRequest {
    switch random.number(below: 24) {
    case 0...8: return charge(.key(name("k"), account: account()))
    case 9...12:
      let owner: Name? = random.once(in: 3) ? account() : nil
      let id = authorizations.popLast() ?? name("a")
      if random.once(in: 5) { authorizations.append(id) }
      return charge(.authorization(id, account: random.once(in: 9) ? owner : nil))
    case 13...16:
      var request = AuthorizeRequest(
        account: account(), id: random.once(in: 3) ? nil : name("a"))
      if random.once(in: 6) { request.hold = 3 }
      if let id = request.id { authorizations.append(id) }
      return .authorize(request)
    case 17...19: return .topUp(topUp())
    case 20 where random.once(in: 4):
      var request = AccountRequest(account: account())
      request.plan = random.once(in: 2) ? .remove : .set("daily")
      if random.once(in: 3) { request.isClosed = random.once(in: 2) }
      if random.once(in: 5) { request.isExempt = random.once(in: 3) }
      return .account(request)
    case 20...21: return .refund(RefundRequest(reference: .authorization(name("a"))))
    case 22: return .void(VoidRequest(id: name("a")))
    default: return .refund(RefundRequest(reference: .transaction(name("t"))))
    }
  }

  private mutating func charge(_ reference: ChargeRequest.Reference) -> GateRequest {
    var usage = TokenUsage(
      inputTokens: Int64(random.number(below: 3000)),
      outputTokens: Int64(random.number(below: 900)))
    if random.once(in: 6) { usage.cacheReadTokens = Int64(random.number(below: 2000)) }
    if random.once(in: 60) { usage.cacheWriteTokens = 1 << Int64(random.number(below: 45)) }
    if random.once(in: 20) { usage = TokenUsage(inputTokens: 0, outputTokens: 0) }
    let model: Name = random.pick(
      "gpt", "gpt", "gpt", "gpt", "tiered", "tiered", "marked", "odd", "odd", "units", "free",
      "unknown")
    return .charge(
      ChargeRequest(
        reference: reference, model: model, usage: .counts(.tokens(usage)),
        isArrears: random.once(in: 9)))
  }

  private mutating func topUp() -> TopUpRequest {
    let grant: TopUpRequest.Grant = random.pick(
      .product("p", quantity: 1), .product("q", quantity: 1), .credits(500), .credits(100),
      .product("p", quantity: 2), .product("unknown", quantity: 1))
    var request = TopUpRequest(
      account: account(),
      reference: random.once(in: 3) ? .key(name("u")) : .transaction(name("t")), grant: grant)
    if random.once(in: 8) {
      request.kind = .bonus
      request.grant = .credits(30)
      request.expiry = .after(.seconds(3600))
    }
    return request
  }
}
