import CreditModel
import TestSupport
import Testing

@testable import CreditJSON

@Suite struct JSONShapeTests {
  private let shape = JSONShape.object([
    .text("id"), .list("buckets", of: .object([.text("kind"), .time("expiresAt").optional])),
    JSONMember("tags", .map(.value(.text))).optional, JSONMember("prices", .any).optional,
  ])

  @Test(arguments: [
    "id", "buckets", "buckets.0", "buckets.17.expiresAt", "tags", "tags.anything",
    "prices.a.0.b",
  ])
  func allowsMembersOfResults(path: String) { #expect(shape.allows(path)) }

  @Test(arguments: [
    "ID", "id.x", "buckets.kind", "buckets.-1", "buckets.0.", "buckets.0.kind.x", "tags.a.b", "",
  ])
  func refusesUnknownPaths(path: String) { #expect(!shape.allows(path)) }

  @Test func listsItsPaths() {
    #expect(
      shape.paths == [
        "id", "buckets", "buckets.0", "buckets.0.kind", "buckets.0.expiresAt", "tags", "prices",
      ])
  }

  @Test(arguments: [
    (#"{"id":"a","buckets":[{"kind":"x"}],"tags":{"t":"v"},"prices":{"x":[1]}}"#, nil),
    (#"{"id":"a","buckets":[],"bucket":[]}"#, "bucket"),
    (#"{"id":"a","buckets":[{"kind":"x"},{"kind":"y","size":1}]}"#, "buckets.1.size"),
    (#"{"id":"a","buckets":[{"expiresAt":"2026-02-19T10:00:00.000Z"}]}"#, "buckets.0.kind"),
    (#"{"id":"a","buckets":[{"kind":"x","expiresAt":"soon"}]}"#, "buckets.0.expiresAt"),
    (#"{"id":{"x":1},"buckets":[]}"#, "id"), ("[]", ""),
  ])
  func findsUndeclaredMembers(text: String, path: String?) throws {
    let document = try JSONDocument(text)
    #expect(document.withRoot { shape.firstMismatch(in: $0) } == path)
  }

  /// Every detail of an error has its member.
  @Test func declaresEveryMemberOfAnError() throws {
    let name = Name(trusted: "a")
    let authorization = CreditAuthorization(id: name, account: name, timestamp: .earliest)
    let error = CreditError(
      .invalidRequest, "m",
      [
        .account(name), .balance(1), .available(1), .authorization(authorization), .model("m"),
        .product("p"), .from(.earliest), .unpriced(["x"]), .key(name), .retryAfter(1),
        .reason("r"), .outcome("none"), .partial(.units(1)), .path("p"), .line(1), .offset(1),
      ])
    var writer = JSONWriter()
    writer.error(error)
    let document = try JSONDocument(writer.withBytes { [UInt8]($0) })
    #expect(document.withRoot { JSONShape.error.firstMismatch(in: $0) } == nil)
    #expect(
      document.withRoot { root in root.member("error")?.members.reduce(0) { n, _ in n + 1 } } == 19)
  }
}
