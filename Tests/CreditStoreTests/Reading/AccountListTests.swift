import CreditJSON
import CreditModel
import CreditSystem
import Testing

@testable import CreditStore
@testable import TestSupport

/// The list of all accounts, of which those with undated credits only are not read again.
struct AccountListTests {
  private let ledger: LedgerStore

  init() throws {
    ledger = try LedgerStore()
  }

  /// The output of `credit-balance --all`, by the list and by the page.
  private func lists(at time: Timestamp? = nil) throws -> (undatedCount: Int, [String], [String]) {
    let projection = try AccountProjection(
      ledger.store.books(), policy: ledger.store.policy(), now: ledger.now, at: time)
    var undatedCount = 0
    var list: [String] = []
    var general: [String] = []
    func line(_ result: Result<AccountView, CreditError>) -> String {
      var writer = JSONWriter()
      switch result {
      case .success(let view): writer.accountView(view)
      case .failure(let error): writer.error(error)
      }
      return writer.string
    }
    let accounts = try #require(try projection.list())
    for number in 0..<accounts.count {
      _ = accounts.forEachUndated(number..<number + 1) { _ in
        undatedCount += 1
        return true
      }
    }
    func add(_ result: Result<AccountView, CreditError>) -> Bool {
      list.append(line(result))
      return true
    }
    try accounts.forEach(add)
    try projection.forEachAccount { result in
      general.append(line(result))
      return true
    }
    return (undatedCount, list, general)
  }

  private func requests(
    of name: Name, number: Int, _ random: inout SeededGenerator
  ) -> [GateRequest] {
    let key = Name(trusted: "k-\(number)")
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return [ledger.charge(name, key: key, units: .random(in: 0...150, using: &random))]
    case 1: return [ledger.topUp(name, .key(key), .random(in: 1...500, using: &random))]
    case 2: return [ledger.topUp(name, .key(key), 7, expiresAfter: .seconds(40))]
    case 3: return [ledger.authorize(name, id: key, hold: 5)]
    case 4: return [ledger.authorize(name, id: key, hold: 5), ledger.charge(key, units: 9)]
    case 5: return [.account(AccountRequest(account: name, plan: .set("pro"), time: ledger.now))]
    case 6: return [.account(AccountRequest(account: name, isExempt: true, time: ledger.now))]
    case 7:
      return [nil, true].map {
        .account(AccountRequest(account: name, isClosed: $0, time: ledger.now))
      }
    default: return [ledger.charge(name, key: key, units: 100)]
    }
  }

  @Test func theListMatchesThePages() throws {
    var random = SeededGenerator(seed: 5)
    var times: [Timestamp] = []
    for number in 0..<400 {
      let name: Name =
        switch Int.random(in: 0..<20, using: &random) {
        case 0: "zoë \"z\""
        case 1: "a\\b"
        case 2: "\u{65e5}\u{672c}"
        case 3: Name(trusted: String(repeating: "n", count: .random(in: 1...128, using: &random)))
        default: Name(trusted: "user-\(Int.random(in: 0..<90, using: &random))")
        }
      ledger.pass(.random(in: 0...30, using: &random))
      for request in requests(of: name, number: number, &random) {
        // A closed account refuses most of them.
        _ = try? ledger.perform(request)
      }
      if number % 40 == 0 { times.append(ledger.now) }
    }
    let (undatedCount, list, general) = try lists()
    #expect(list == general)
    #expect(undatedCount > 10 && undatedCount < list.count)
    for time in times {
      let (_, list, general) = try lists(at: time)
      #expect(list == general)
    }
  }

  /// Enough for two threads, and for comparing names beyond eight bytes.
  @Test func manyAccountsAreInTheOrderOfTheirNames() throws {
    let count = 4_100
    let names = (0..<count).map { Name(trusted: "account-number-\($0 * 7919 % count)") }
    try ledger.charge(names)
    let (undatedCount, list, general) = try lists()
    #expect(undatedCount == count)
    #expect(list == general)
    #expect(
      list.map { $0.prefix { $0 != "," } } == names.sorted().map { #"{"account":"\#($0.text)""# })
  }

  @Test func namesAreInTheOrderOfTheirBytes() {
    var random = SeededGenerator(seed: 3)
    for round in 0..<40 {
      let beginning = String(repeating: "x", count: round % 12)
      // Enough for two threads to sort them, now and then.
      let count = round % 20 == 7 ? 4_500 : Int.random(in: 0..<60, using: &random)
      let names = (0..<count).map { _ in
        let rest = (0..<Int.random(in: 0...11, using: &random)).map { _ in
          ["a", "b", "ab", "ë", "\u{10FFFF}", "~"].randomElement(using: &random) ?? ""
        }
        return beginning + rest.joined()
      }
      // The place of an account's record identifies it.
      let parts = (AccountPart(expectedCount: 0), AccountPart(expectedCount: 0))
      for (number, name) in names.enumerated() {
        let part = Int.random(in: 0...1, using: &random) == 0 ? parts.0 : parts.1
        part.add(Name(trusted: name), at: RecordPosition(Int64(number)))
      }
      let sorted = AccountNames(
        of: parts.0, parts.1, before: RecordPosition(0), WorkerThread(),
        inPlaceOf: LargeTable(count: count + round % 3))
      let found = sorted.positions(after: nil, limit: .max).map { names[Int($0.value)] }
      let expected = names.map { Name(trusted: $0) }.sorted()
      #expect(found.map { Array($0.utf8) } == expected.map { Array($0.text.utf8) })
      for (place, name) in expected.enumerated() {
        let after = sorted.positions(after: name, limit: 1).first
        let next = expected[place...].first { name < $0 }
        #expect(after.map { names[Int($0.value)] } == next?.text)
      }
    }
  }

  /// A damaged line is said as it is anywhere else.
  @Test func aDamagedLineEndsTheList() throws {
    try ledger.charge(["a", "b"])
    let lines = try ledger.lines()
    var damaged = lines
    damaged[2][10] ^= 1
    try ledger.write(damaged, keepsIndex: true)
    #expect(throws: CreditError.self) { try lists() }
  }

  /// An account whose newest record has lost the newline before it is not left out, nor made anew.
  @Test func aLineThatDoesNotStartEndsTheList() throws {
    try ledger.charge(["a", "b"])
    var lines = try ledger.lines()
    lines[1] += [UInt8(ascii: " ")] + lines[2]
    lines.remove(at: 2)
    try ledger.write(lines, keepsIndex: true)
    #expect(throws: CreditError.self) { try lists() }
    #expect(throws: CreditError.self) { try ledger.charge(["a"]) }
  }
}
