#if Postgres
  import CreditPostgres
  import CreditServer
  import Foundation

  @testable import TestSupport

  /// A PostgreSQL server that ends with its owner, and with the tests at the latest.
  final class Cluster {
    /// The one of all tests that do it no harm; the tests' end ends it.
    nonisolated(unsafe) static let shared = Result { try Cluster() }

    /// Whether the tests that need one are run.
    static var isExpected: Bool {
      let folder = "/usr/lib/postgresql"
      let versions = try? FileManager.default.contentsOfDirectory(atPath: folder)
      return MachineCommands.expects("initdb") || versions?.isEmpty == false
    }

    /// Whether tests run that also need a pooler.
    static var hasPooler: Bool { isExpected && MachineCommands.expects("pgbouncer") }

    struct Failure: Error {
      let command: String
    }

    let folder: String
    let url: String
    private let holder: TestProcess
    /// The holder's input: when it ends, so does the cluster.
    private let life = Pipe()

    init(settings: [String] = []) throws {
      folder = FileManager.default.temporaryDirectory.path + "/credit-pg-\(UUID().uuidString)"
      let output = Pipe()
      holder = try TestProcess(
        Self.script, ["hold", folder] + settings, reading: life, writing: output)
      let line = output.fileHandleForReading.availableData
      guard !line.isEmpty else { throw Failure(command: "hold") }
      url = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    deinit {
      try? life.fileHandleForWriting.close()
      _ = holder.end()
    }

    private static let script = Checkout.root.appending(path: "Tests/Server/cluster").path

    /// Returns the script's output for a command about this cluster, or about another folder of it.
    @discardableResult
    func perform(_ command: String, _ arguments: String..., in place: String? = nil) throws
      -> String
    {
      let output = Pipe()
      let process = try TestProcess(
        Self.script, [command, place ?? folder] + arguments, writing: output)
      let text = output.fileHandleForReading.readDataToEndOfFile()
      guard process.end() == 0 else { throw Failure(command: command) }
      return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    /// - Parameter url: that of a database of this cluster; its first one's unless said otherwise.
    func connect(to url: String? = nil) throws -> any ServerLink {
      try PostgresConnector(url: url ?? self.url).connect(until: .after(seconds: 30))
    }

    /// Makes a database that no other test knows of.
    /// - Returns: its URL.
    func makeDatabase() throws -> String {
      let name = "test_\(UUID().uuidString.lowercased().prefix(8))"
      try connect().rows("CREATE DATABASE \(name)")
      return url.replacing("/postgres?", with: "/\(name)?")
    }
  }

  extension ServerLink {
    /// The rows of the last statement.
    @discardableResult
    func last(_ statements: Statement...) throws(ServerFault) -> any ServerRows {
      let rows = try run(statements, until: .after(seconds: 60))
      guard let last = rows.last else { throw .lost("no rows") }
      return last
    }

    @discardableResult
    func rows(_ sql: String, _ parameters: Parameter...) throws(ServerFault) -> any ServerRows {
      try last(Statement(sql, parameters))
    }

    /// The text of the first row.
    func text(_ sql: String, _ parameters: Parameter...) throws(ServerFault) -> String? {
      let rows = try last(Statement(sql, parameters))
      return rows.count == 0 ? nil : rows.text(0, 0)
    }

    /// Returns the code of the statements' error, if any.
    func code(_ statements: String...) -> String? {
      do {
        _ = try run(statements.map { Statement($0) }, until: .after(seconds: 60))
        return nil
      } catch {
        guard case .refused(let state, _) = error else { return "\(error)" }
        return state.code
      }
    }
  }
#endif
