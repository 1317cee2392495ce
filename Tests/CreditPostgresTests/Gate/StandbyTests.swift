#if Postgres
  import CreditModel
  import CreditServer
  import CreditStore
  import Foundation
  import Testing

  @testable import TestSupport

  /// Followers of a server and of its hot standby.
  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct StandbyTests {
    private let primary: Cluster
    private let folder: String
    /// Its URL.
    private let standby: String
    private let client: ServerClient

    init() throws {
      primary = try Cluster()
      client = try ServerClient(primary.url)
      try client.create(
        policy: #"{"starterCredits":100,"models":[{"id":"unit","creditsPerUnit":1}]}"#)
      folder = primary.folder + "/standby"
      standby = try primary.perform("standby", folder)
    }

    /// The standby does not show the locks of the primary's writers: it could print the records of
    /// a later batch, and never those of an earlier one that takes longer.
    @Test func aStandbyRefusesFollowersAndAnswersReaders() throws {
      #expect(try client.charge("alice", "k1").credits == 1)
      let reader = try ServerClient(standby).store.books()
      #expect(try reader.newest(of: .account("alice")) != nil)
      for ask in [
        { _ = try reader.records(after: .start, before: nil, limit: 10) }, { try reader.settle() },
      ] {
        let error = try #require(throws: CreditError.self) { try ask() }
        #expect(error.code == .unavailable)
        #expect(error.message.contains("read them from the primary"))
      }
      #expect(try reader.newest(of: .account("alice")) != nil)
    }

    /// A server that was a standby knows its writers from then on.
    @Test func aPromotedStandbyIsFollowed() throws {
      let books = try client.store.books()
      let charged = try client.charge("alice", "k1")
      try books.settle()
      let before = try books.records(after: .start, before: nil, limit: 10).records
      #expect(charged.credits == 1 && before.count == 2)
      try primary.perform("kill")
      try primary.perform("promote", in: folder)
      let later = try ServerClient(standby)
      #expect(try later.charge("alice", "k2").credits == 1)
      let promoted = try later.store.books()
      try promoted.settle()
      let page = try promoted.records(after: .start, before: nil, limit: 10)
      #expect(page.records.map(\.position).prefix(2) == before.map(\.position)[...])
      #expect(page.records.count == 3)
    }
  }
#endif
