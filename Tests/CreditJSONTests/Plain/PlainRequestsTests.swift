import CreditModel
import Testing

@testable import CreditJSON
@testable import TestSupport

/// The general reader is the oracle: a request that is taken as plain is the same as it reads.
struct PlainRequestsTests {
  @Test(arguments: [
    #"{"account":"alice","key":"k","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
    #"{"key":"k","usage":{"outputTokens":0,"inputTokens":123456789012345},"model":"m"}"#,
    #"{"authorization":"a1","model":"m","usage":{"inputTokens":1,"outputTokens":2,"#
      + #""cacheReadTokens":3,"cacheWriteTokens":4}}"#,
    #"{"authorization":{"id":"a1","account":"alice","timestamp":"2026-02-19T10:00:00.000Z"},"#
      + #""model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
    #"{"account":"alice","model":"m","usage":{"inputTokens":1,"outputTokens":2},"authorization":"#
      + #"{"id":"a1","account":"alice","timestamp":"2026-02-19T10:00:00.000Z"},"balance":77}"#,
    #"{"account":"bob","authorization":"a1","key":"passed over","model":"a model","usage":"#
      + #"{"inputTokens":1,"outputTokens":2}}"#,
  ])
  func aPlainChargeIsTaken(_ text: String) throws {
    let plain = try #require(take(text, .charge))
    #expect(plain.length == text.utf8.count)
    #expect(summary(plain.request) == summary(try general(text, .charge)))
  }

  @Test(arguments: [
    #"{"account":"alice"}"#, #"{"account":"alice","authorization":"a1"}"#,
    #"{"authorization":"a1"}"#,
    #"{"account":"bob","key":"k","usage":{"inputTokens":1,"outputTokens":2},"model":"m"}"#,
  ])
  func aPlainAuthorizationIsTaken(_ text: String) throws {
    let plain = try #require(take(text, .authorize))
    #expect(summary(plain.request) == summary(try general(text, .authorize)))
  }

  @Test(arguments: [
    #"{"account":"alice","transaction":"t1","credits":5}"#,
    #"{"transaction":"t1","product":"p"}"#, #"{"key":"k1","account":"bob","credits":7}"#,
  ])
  func aPlainTopUpIsTaken(_ text: String) throws {
    let plain = try #require(take(text, .topUp))
    #expect(summary(plain.request) == summary(try general(text, .topUp)))
  }

  @Test(arguments: [
    "", "{", "{}", "[]", #"{"account":"alice"}"#,
    #"{"account":"alice","key":"k","model":"m"}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":1}}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":1,"outputTokens":2},"tags":{}}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":1,"inputTokens":1,"outputTokens":2}}"#,
    #"{"key":"k","key":"k","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":-1,"outputTokens":2}}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":01,"outputTokens":2}}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":1.0,"outputTokens":2}}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":1e3,"outputTokens":2}}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":1234567890123456,"outputTokens":2}}"#,
    #"{"key":"k ","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
    #"{"key":"","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
    #"{"key":"ké","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
    #"{"key":"\u006b","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
    #"{"key": "k","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
    #"{"account":"bob","authorization":{"id":"a","account":"alice","timestamp":"2026"},"#
      + #""model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":1,"outputTokens":2},"balance":1,"balance":1}"#,
    #"{"key":"k","model":"m","usage":{"inputTokens":1,"outputTokens":2},"balance":-1}"#,
    #"{"authorization":{"id":"a"},"model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#,
  ])
  func anythingElseIsLeft(_ text: String) {
    #expect(take(text, .charge) == nil)
  }

  @Test(arguments: [
    #"{"account":"a","transaction":"t","key":"k","credits":1}"#, #"{"account":"a","credits":1}"#,
    #"{"transaction":"t","credits":0}"#, #"{"transaction":"t","credits":1,"product":"p"}"#,
    #"{"transaction":"t","credits":1,"credits":1}"#,
    #"{"transaction":"t","credits":0,"credits":5}"#,
    #"{"transaction":"t","credits":0,"product":"p"}"#, #"{"transaction":"t","credits":-1}"#,
    #"{"transaction":"t","credits":1,"type":"bonus"}"#,
  ])
  func anyOtherTopUpIsLeft(_ text: String) {
    #expect(take(text, .topUp) == nil)
  }

  @Test func namesThatAreTooLongAreLeft() throws {
    func charge(_ account: Int, _ key: Int) -> String {
      #"{"account":"\#(String(repeating: "a", count: account))","#
        + #""key":"\#(String(repeating: "k", count: key))","model":"m","#
        + #""usage":{"inputTokens":1,"outputTokens":2}}"#
    }
    #expect(take(charge(128, 256), .charge) != nil)
    #expect(take(charge(129, 256), .charge) == nil)
    #expect(take(charge(128, 257), .charge) == nil)
  }

  @Test func aRequestThatHasNotAllArrivedIsLeft() {
    let text = #"{"key":"k","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#
    for count in 0...text.utf8.count {
      var requests = PlainRequests(.charge)
      let part = Array(text.utf8.prefix(count))
      #expect(part.withUnsafeBytes { requests.take(from: $0, line: 1) } == 0)
    }
  }

  /// Texts with a byte changed, left out or put in are read by both readers, or by the general one
  /// alone.
  @Test func changedTextsAreReadTheSameOrLeft() throws {
    var random = SeededGenerator(seed: 7)
    let texts: [(String, PlainRequest.Action)] = [
      (
        #"{"account":"al","key":"k-1","model":"m","usage":{"inputTokens":12,"outputTokens":3}}"#,
        .charge
      ),
      (#"{"authorization":"a1","model":"m","usage":{"outputTokens":1,"inputTokens":20}}"#, .charge),
      (#"{"account":"al","transaction":"t1","credits":57}"#, .topUp),
      (#"{"account":"al","authorization":"a1"}"#, .authorize),
    ]
    var taken = 0
    for _ in 0..<20_000 {
      let (text, action) = texts[random.number(below: texts.count)]
      var bytes = Array(text.utf8)
      let place = random.number(below: bytes.count)
      let byte = Array(#"0129aZ"\{}[],:.-+e "#.utf8)[random.number(below: 19)]
      switch random.number(below: 3) {
      case 0: bytes[place] = byte
      case 1: bytes.insert(byte, at: place)
      default: bytes.remove(at: place)
      }
      let changed = String(decoding: bytes, as: UTF8.self)
      guard let plain = take(changed, action) else { continue }
      taken += 1
      let whole = String(decoding: bytes.prefix(plain.length), as: UTF8.self)
      #expect(summary(plain.request) == summary(try general(whole, action)), "\(changed)")
    }
    #expect(taken > 1000)
  }

  @Test func linesAreCountedAndLeftOnesComeInTheirPlaces() throws {
    let plain = #"{"key":"k","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#
    let other = #"{"key":"k","model":"m","usage":{"inputTokens":1,"outputTokens":2},"tags":{}}"#
    let text = Array((plain + "\n\n" + plain + "\n" + other + "\n").utf8)
    var stream = JSONStream()
    let all = text + text + [UInt8](repeating: 0x20, count: 8192)
    all.withUnsafeBytes { stream.append($0) }
    var lines: [Int] = []
    for _ in 0..<2 {
      var requests = PlainRequests(.charge)
      stream.take(into: &requests)
      let run = requests.takeRun()
      lines += try #require(run).requests.map(\.line)
      guard case .value(_, let line, _) = stream.next() else { return #expect(Bool(false)) }
      lines.append(line)
    }
    #expect(lines == [1, 3, 4, 5, 7, 8])
  }

  /// Where requests of another form stand between, one read makes thousands of short runs.
  @Test(arguments: [1, 10, 100, 512]) func aRunTakesAsMuchRoomAsItNeeds(count: Int) throws {
    let plain = #"{"account":"a","authorization":"b"}"# + "\n"
    let text =
      Array((String(repeating: plain, count: count) + "{ }").utf8)
      + [UInt8](repeating: 0x20, count: 8192)
    var stream = JSONStream()
    text.withUnsafeBytes { stream.append($0) }
    var requests = PlainRequests(.authorize)
    stream.take(into: &requests)
    let taken = requests.takeRun()
    let run = try #require(taken)
    #expect(run.requests.count == count)
    #expect(run.requests.capacity <= max(4, 4 * count))
  }

  /// A value of which a part has been read goes on being read that way.
  @Test func aValueThatBeganBeforeIsNotTaken() throws {
    let plain = #"{"key":"k","model":"m","usage":{"inputTokens":1,"outputTokens":2}}"#
    var stream = JSONStream()
    Array(plain.utf8.prefix(30)).withUnsafeBytes { stream.append($0) }
    guard case .needsMore = stream.next() else { return #expect(Bool(false)) }
    let rest = Array(plain.utf8.dropFirst(30)) + [UInt8](repeating: 0x0A, count: 8192)
    rest.withUnsafeBytes { stream.append($0) }
    var requests = PlainRequests(.charge)
    stream.take(into: &requests)
    #expect(requests.takeRun() == nil)
    guard case .value = stream.next() else { return #expect(Bool(false)) }
  }

  private func take(_ text: String, _ action: PlainRequest.Action)
    -> (request: GateRequest, length: Int)?
  {
    var requests = PlainRequests(action)
    let bytes = Array(text.utf8) + [UInt8](repeating: 0x0A, count: 64)
    let length = bytes.withUnsafeBytes { requests.take(from: $0, line: 1) }
    return requests.takeRun().map { ($0.request(0), length) }
  }

  private func general(_ text: String, _ action: PlainRequest.Action) throws -> GateRequest {
    try JSONDocument(Array(text.utf8)).withRoot { value throws(CreditError) in
      let reader = try RequestReader(.value(value), flags: FlagMembers())
      let policy = Policy(prices: PriceCatalog())
      switch action {
      case .charge, .settle: return try reader.chargeRequest(under: policy)
      case .authorize: return try reader.authorizeRequest(under: policy)
      case .topUp, .topUpByKey: return try reader.topUpRequest(under: policy, isStrict: false)
      }
    }
  }

  private func summary(_ request: GateRequest) -> String {
    guard case .charge(let charge) = request else { return "\(request)" }
    return "\(charge.reference) \(charge.model) \(charge.usage) \(charge.remarks as Any) "
      + "\(charge.reportedUSD as Any) \(charge.usedAt as Any) \(charge.tags as Any) "
      + "\(charge.isArrears) \(charge.amends) \(charge.time as Any)"
  }
}
