import CreditModel
import Testing

@testable import TestSupport

/// A caller's labels of its work.
@Suite struct TagsTests {
  private func list(_ tags: Tags?) -> [String] {
    var list: [String] = []
    tags?.forEachTag { list.append("\($0)=\($1)") }
    return list
  }

  @Test func theOrderIsKept() {
    #expect(list(tags(["b": "2", "a": "1", "b/c-d_E": ""])) == ["b=2", "a=1", "b/c-d_E="])
    #expect(tags([:]) == nil)
    #expect(tags(["a": "1"])?["a"] == "1")
    #expect(tags(["a": "1"])?["b"] == nil)
  }

  @Test(arguments: ["", "a.b", "a b", "é", "a=b", String(repeating: "n", count: 65)])
  func namesAreOfAFewCharacters(_ name: String) {
    var list = TagList()
    #expect(list.add(name, "x") != nil)
    #expect(list.tags == nil)
  }

  @Test func thereAreLimits() {
    var list = TagList()
    #expect(list.add("a", String(repeating: "v", count: 257)) != nil)
    #expect(list.add(String(repeating: "n", count: 64), String(repeating: "v", count: 256)) == nil)
    for number in 0..<15 { #expect(list.add("n\(number)", "") == nil) }
    #expect(list.add("one-more", "") != nil)
    var long = TagList()
    for number in 0..<3 {
      #expect(long.add("\(number)", String(repeating: "v", count: 256)) == nil)
    }
    #expect(long.add("3", String(repeating: "v", count: 253)) != nil)
    #expect(long.add("3", String(repeating: "v", count: 252)) == nil)
    #expect(long.add("4", "") != nil)
  }

  @Test func aNameHasOneValue() {
    var list = TagList(tags(["a": "1"]))
    #expect(list.add("a", "1") == nil)
    #expect(list.add("a", "2") != nil)
    #expect(list.count == 1)
    // They are told apart by their bytes.
    #expect(tags(["a": "\u{E9}"]) != tags(["a": "e\u{301}"]))
  }

  @Test func allThatAreAskedForAreThere() {
    let all = tags(["a": "1", "b": "2"])
    #expect(all?.contains(tags(["b": "2"])!) == true)
    #expect(all?.contains(tags(["b": "1"])!) == false)
    #expect(all?.contains(tags(["a": "1", "c": "1"])!) == false)
  }

  @Test func aChargeTakesItsAuthorizationsTags() throws {
    let ledger = LedgerFixture()
    let request = AuthorizeRequest(
      account: "alice", id: "a", tags: tags(["project": "x", "team": "red"]), time: ledger.now)
    let authorization = try ledger.perform(.authorize(request)).authorization
    #expect(list(authorization?.tags) == ["project=x", "team=red"])
    let charge = ChargeRequest(
      reference: .authorization("a", account: nil), model: "unit", usage: units(1),
      tags: tags(["project": "y"]), time: ledger.now)
    let receipt = try ledger.perform(.charge(charge)).receipt
    #expect(list(receipt?.details?.tags) == ["project=y", "team=red"])
    #expect(receipt?.authorization.tags == nil)
    // They do not matter for a charge's identity.
    let again = try ledger.perform(ledger.charge("a", units(1)))
    #expect(again.isReplay && list(again.receipt?.details?.tags) == ["project=y", "team=red"])
  }

  @Test func excessTagsAreLeftOut() {
    let long = String(repeating: "v", count: 250)
    let full = tags(["a": long, "b": long, "c": long, "d": long])
    let more = tags(["a": "other", "e": long, "f": "x"])
    #expect(list(Tags.filling(full, from: more)) == list(full) + ["f=x"])
    #expect(Tags.filling(nil, from: more) == more)
    #expect(Tags.filling(full, from: nil) == full)
  }
}
