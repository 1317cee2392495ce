import CreditStore
import Testing

@testable import CreditServer
@testable import TestSupport

struct ServerSessionTests {
  private let connector = NotingConnector()
  private let session: ServerSession

  init() {
    session = ServerSession(
      StoreLocation(path: "postgres:///none", isNamed: true), connector, StoreOptions(),
      FaultySystem())
  }

  @Test func noStatementIsSentAheadOverANewConnection() throws {
    #expect(throws: ServerFault.lost("the connection is closed")) {
      try session.send([Statement("INSERT")])
    }
    _ = try session.run([Statement("BEGIN")], until: .never)
    try session.send([Statement("INSERT")])
    connector.isBroken = true
    #expect(throws: ServerFault.lost("broken")) { try session.send([Statement("INSERT")]) }
    session.rollBack(until: .never)
    #expect(connector.noted == ["BEGIN", "INSERT ahead"])
    #expect(session.connectionCount == 1)
  }
}

/// Makes links that note the statements sent.
private final class NotingConnector: ServerConnector {
  fileprivate(set) var noted: [String] = []
  var isBroken = false

  func connect(until deadline: Deadline) throws(ServerFault) -> any ServerLink {
    NotingLink(self)
  }
}

private final class NotingLink: ServerLink {
  private let connector: NotingConnector
  let isClosed = false
  let ownsSession = true

  init(_ connector: NotingConnector) { self.connector = connector }

  func send(_ statements: [Statement]) throws(ServerFault) {
    if connector.isBroken { throw .lost("broken") }
    connector.noted += statements.map { "\($0.sql) ahead" }
  }

  func run(_ statements: [Statement], until deadline: Deadline) throws(ServerFault)
    -> [any ServerRows]
  {
    connector.noted.append(statements.map(\.sql).joined(separator: " "))
    return []
  }
}
