import CreditModel
import CreditSystem
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

/// Policies that come into a store with their files.
@Suite struct PolicyDraftTests {
  private let files: TemporaryStore
  private let store: LocalStore
  private let fixture: PolicyFixture
  private var directory: StoreDirectory { files.directory }

  init() throws {
    files = try TemporaryStore()
    let path = files.directory.path
    fixture = PolicyFixture(
      drafts: StoreDirectory(path: path + "/drafts", system: PosixSystem()))
    store = LocalStore(at: path)
    _ = try store.create(try fixture.draft(1, for: store), at: Timestamp(milliseconds: 0))
  }

  private func keptNames() throws -> [String] {
    try directory.names().filter { KeptFile.originalName(of: $0) != nil }.sorted()
  }

  private func number(_ store: LocalStore) throws -> Int? {
    try PolicyFixture.number(of: store.policy(), in: store.directory)
  }

  @Test func theAuthorsTextIsKeptByteForByte() throws {
    #expect(try number(store) == 1)
    #expect(try store.policyText() == Array(PolicyFixture.text(1).utf8))
    #expect(try store.priceTexts().last == Array(PolicyFixture.catalog(1).utf8))
    let stands = String(decoding: try files.bytes(PolicyFile.name), as: UTF8.self)
    #expect(stands.contains(#""catalog" : "policy-"#) && stands.contains(#"-prices.json","#))
    for name in PolicyFixture.names { #expect(try directory.status(of: name) == nil) }
  }

  @Test func theFilesOfThePolicyBeforeStay() throws {
    var before = try keptNames()
    #expect(before.count == 2)
    for number in 2...4 {
      try store.setPolicy(try fixture.draft(number, for: store))
      let names = try keptNames()
      #expect(try self.number(store) == number)
      #expect(
        names.count == 4 && before.filter { !names.contains($0) }.count == (number - 2).signum() * 2
      )
      before = names
    }
    // A repetition changes nothing.
    try store.setPolicy(try fixture.draft(4, for: store))
    #expect(try number(store) == 4)
    #expect(try keptNames().count == 2)
  }

  @Test func aPrintedPolicyCanBeSetAgain() throws {
    let before = try keptNames()
    try store.setPolicy(try store.policyDraft(text: try store.policyText()))
    #expect(try keptNames() == before && number(store) == 1)
    // So can the file as it stands, from anywhere.
    try fixture.drafts.removeFile("prices.json")
    try fixture.drafts.replaceFile("copy.json", with: try files.bytes(PolicyFile.name))
    try store.setPolicy(try store.policyDraft(fixture.drafts.path(of: "copy.json")))
    #expect(try keptNames() == before && number(store) == 1)
    #expect(try store.policyText() == Array(PolicyFixture.text(1).utf8))
  }

  /// People edit the policy, and name a file of their own in the folder.
  @Test func aFileThatAPersonPutThereIsUsedAndLeftAlone() throws {
    try files.write(PolicyFixture.catalog(7).utf8, to: "mine.json")
    try files.write(#"{"unit": "u7", "catalog": "mine.json"}"#.utf8, to: PolicyFile.name)
    let price = try store.policy().model("m", at: .earliest).pricing
    #expect(price == .perUnit(ExactDecimal(coefficient: 7)))
    try store.setPolicy(try store.policyDraft(directory.path(of: PolicyFile.name)))
    #expect(
      String(decoding: try files.bytes(PolicyFile.name), as: UTF8.self).contains("\"mine.json\""))
    for number in 2...4 { try store.setPolicy(try fixture.draft(number, for: store)) }
    #expect(try files.bytes("mine.json") == Array(PolicyFixture.catalog(7).utf8))
    // A plain name means the file in the folder, if no policy in force has another.
    let draft = try store.policyDraft(text: Array(#"{"catalog": "mine.json"}"#.utf8))
    try store.setPolicy(draft)
    #expect(try store.policy().model("m", at: .earliest).pricing == price)
  }

  @Test func aKeptFileThatAPersonEditedIsNotRemoved() throws {
    let name = try #require(try keptNames().first { $0.hasSuffix("prices.json") })
    try files.write(PolicyFixture.catalog(8).utf8, to: name)
    try store.setPolicy(try fixture.draft(1, for: store))
    #expect(try number(store) == 1)
    for number in 2...4 { try store.setPolicy(try fixture.draft(number, for: store)) }
    #expect(try files.bytes(name) == Array(PolicyFixture.catalog(8).utf8))
    try files.write("".utf8, to: name + "~")
    try store.setPolicy(try fixture.draft(5, for: store))
    #expect(try directory.status(of: name + "~") != nil)
  }

  @Test func aFileThatCantBeReadIsRefused() throws {
    let path = try fixture.write(2)
    func expectRefusal(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
      let error = #expect(throws: CreditError.self, sourceLocation: sourceLocation) {
        try store.policyDraft(path)
      }
      #expect(error?.code == .invalidPolicy, sourceLocation: sourceLocation)
      #expect(error?.message.contains(text) == true, sourceLocation: sourceLocation)
    }
    for (name, member) in zip(PolicyFixture.names, FileMember.allCases) {
      let good = try fixture.drafts.readFile(name, limit: 1000)
      try fixture.drafts.removeFile(name)
      #expect(mkfifo(fixture.drafts.path(of: name), 0o600) == 0)
      expectRefusal("\(member.rawValue) names")
      try fixture.drafts.removeFile(name)
      try StoreDirectory(path: fixture.drafts.path(of: name), system: PosixSystem()).create()
      expectRefusal("which is a directory")
      try FileManager.default.removeItem(atPath: fixture.drafts.path(of: name))
      try fixture.drafts.replaceFile(name, with: [0x30, 1])
      expectRefusal(member == .catalog ? "prices.json" : "is not one certificate")
      try fixture.drafts.replaceFile(name, with: good)
    }
    #expect(throws: Never.self) { try store.policyDraft(path) }
    // Without one beside the policy the store's is meant, while it has one.
    for name in PolicyFixture.names { try fixture.drafts.removeFile(name) }
    #expect(throws: Never.self) { try store.policyDraft(path) }
    try store.setPolicy(try store.policyDraft(text: Array("{}".utf8)))
    expectRefusal("neither beside the policy nor in the store")
  }

  @Test(arguments: ["journal.jsonl", "index", "policy.json", "lock", "journal.x", ".replacement"])
  func theStoresOwnNamesAreRefused(_ name: String) throws {
    try fixture.drafts.replaceFile(name, with: Array(PolicyFixture.catalog(1).utf8))
    try fixture.drafts.replaceFile("p.json", with: Array(#"{"catalog": "\#(name)"}"#.utf8))
    let error = #expect(throws: CreditError.self) {
      try store.policyDraft(fixture.drafts.path(of: "p.json"))
    }
    #expect(error?.message.contains("the store's own files") == true)
  }

  /// However a reader's calls and two changes of the policy fall together, it sees one pair.
  @Test func readersSeeOnePair() throws {
    var call = 1
    while true {
      try store.setPolicy(try fixture.draft(1, for: store))
      let drafts = try (2...3).map { try fixture.draft($0, for: store) }
      let system = FaultySystem()
      var isIntruded = false
      system.intrusion = (
        call,
        {
          isIntruded = true
          for draft in drafts { try store.setPolicy(draft) }
        }
      )
      let reader = LocalStore(store.location, options: StoreOptions(), system: system)
      let policy = try reader.policy()
      let price = try policy.model("m", at: .earliest).pricing
      let number = try #require(Int(policy.unit.dropFirst()))
      #expect(price == .perUnit(ExactDecimal(coefficient: Int128(number))), "at call \(call)")
      if !isIntruded { break }
      #expect(try self.number(reader) == 3)
      call += 1
    }
    #expect(call > 8)
  }

  @Test func aPolicyIsReadOnce() throws {
    let system = FaultySystem()
    let reader = LocalStore(store.location, options: StoreOptions(), system: system)
    _ = try reader.policy()
    // A file that was changed just now may change again unseen, and is read again.
    Thread.sleep(forTimeInterval: 0.05)
    _ = try reader.policy()
    let count = system.callCount
    _ = try reader.policy()
    #expect(system.callCount - count < 5)
    try store.setPolicy(try fixture.draft(2, for: store))
    #expect(try reader.policy().unit == "u2")
  }

  @Test func theCheckedPolicyIsReturned() throws {
    for call in 1...8 {
      try files.write(#"{"unit": "one", "starterCredits": 1}"#.utf8, to: PolicyFile.name)
      let system = FaultySystem()
      system.intrusion = (
        call,
        {
          // In place, as some editors do.
          try files.write(#"{"unit": "two", "starterCredits": 2}"#.utf8, to: PolicyFile.name)
        }
      )
      let reader = LocalStore(store.location, options: StoreOptions(), system: system)
      let text = try reader.policyText()
      let policy = try reader.policy()
      #expect(policy.unit == "one" ? policy.starterCredits == 1 : policy.starterCredits == 2)
      let isFirst = String(decoding: text, as: UTF8.self).contains("one")
      #expect(isFirst || policy.unit == "two")
    }
  }
}
