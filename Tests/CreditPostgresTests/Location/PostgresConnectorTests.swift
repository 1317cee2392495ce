#if Postgres
  import CreditModel
  import CreditPostgres
  import CreditServer
  import Foundation
  import Testing

  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct PostgresConnectorTests {
    @Test func aServerThatIsNotThereIsUnreachable() throws {
      try expectUnreachable("postgres:///db?host=/nowhere", saying: "/nowhere")
      try expectUnreachable("postgres:///?service=missing", saying: "missing")
    }

    @Test func aDatabaseThatIsNotThereIsUnreachable() throws {
      let url = try Cluster.shared.get().url.replacing("@/postgres?", with: "@/missing?")
      try expectUnreachable(url, saying: "missing")
    }

    @Test func aPasswordThatIsWrongIsNotShown() throws {
      let files = FileManager.default.temporaryDirectory.path + "/credit-hba-\(UUID().uuidString)"
      let (rules, passwords) = (files + "-rules", files + "-passwords")
      defer {
        for file in [rules, passwords] { try? FileManager.default.removeItem(atPath: file) }
      }
      try Data("local all locked scram-sha-256\nlocal all all trust\n".utf8)
        .write(to: URL(filePath: rules))
      try Data("*:*:*:*:open-sesame\n".utf8).write(to: URL(filePath: passwords))
      chmod(rules, 0o644)
      chmod(passwords, 0o600)

      let cluster = try Cluster(settings: ["hba_file=\(rules)"])
      let link = try cluster.connect()
      try link.rows("CREATE ROLE locked LOGIN PASSWORD 'other'")
      let url = "postgres://locked@/postgres?host=\(cluster.folder)&passfile="
      let message = try expectUnreachable(url + passwords, saying: "locked")
      #expect(!message.contains("sesame"))
      try expectUnreachable(url + "/dev/null", saying: "password")

      try link.rows("ALTER ROLE locked PASSWORD 'open-sesame'")
      let connector = try PostgresConnector(url: url + passwords)
      let locked = try connector.connect(until: .after(seconds: 30))
      #expect(try locked.text("SELECT current_user") == "locked")

      let named = "postgres://locked:open%2Dsesame@/postgres?host=\(cluster.folder)"
      let byAddress = try PostgresConnector(url: named).connect(until: .after(seconds: 30))
      #expect(try byAddress.text("SELECT current_user") == "locked")
      let wrong = named.replacing("open%2Dsesame", with: "wrong-word")
      #expect(!(try expectUnreachable(wrong, saying: "locked")).contains("wrong"))
    }

    /// A host that accepts the connection and then stays silent is left for the next one.
    @Test func aSilentHostIsLeftForTheNext() throws {
      let silent = try Cluster()
      let cluster = try Cluster.shared.get()
      let id = try #require(pid_t(try silent.perform("pid")))
      kill(id, SIGSTOP)
      defer { kill(id, SIGCONT) }
      func url(_ folders: String...) -> String {
        let first = cluster.url.split(separator: "?")[0]
        return "\(first)?host=" + folders.joined(separator: ",") + "&connect_timeout=1"
      }
      let link = try PostgresConnector(url: url(silent.folder, cluster.folder))
        .connect(until: .after(seconds: 30))
      #expect(try link.text("SELECT 1") == "1")
      let message = try expectUnreachable(url(silent.folder, "/nowhere"), saying: "/nowhere")
      #expect(message.contains("did not answer within 1 s"))
    }

    /// Its message is as brief as others'.
    @Test func aFullServerIsWaitedForAsALockIs() throws {
      let cluster = try Cluster(settings: ["max_connections=3", "superuser_reserved_connections=0"])
      let client = try ServerClient(cluster.url)
      try client.create(policy: #"{"models":[{"id":"unit","creditsPerUnit":1}]}"#)
      nonisolated(unsafe) var others = [try cluster.connect(), try cluster.connect()]
      let connector = try PostgresConnector(url: cluster.url)
      do throws(ServerFault) {
        _ = try connector.connect(until: .after(seconds: 30))
        Issue.record("it is reached")
      } catch {
        guard case .refused(.tooManyConnections, let message) = error else { throw error }
        #expect(message.hasSuffix("FATAL:  sorry, too many clients already"))
      }
      let beginning = ContinuousClock.now
      let hasty = try ServerClient(cluster.url, lockTimeoutSeconds: 0)
      let refused = try #require(throws: CreditError.self) { try hasty.charge("alice", "k1") }
      #expect(refused.code == .unavailable && beginning.duration(to: .now) < .seconds(8))
      #expect(refused.message.contains("too many clients"))

      let patient = try ServerClient(cluster.url, lockTimeoutSeconds: 60)
      let freed = Thread {
        usleep(300_000)
        others.removeLast()
      }
      freed.start()
      #expect(try patient.charge("alice", "k1").credits == 1)
      others.removeAll()
    }

    @discardableResult
    private func expectUnreachable(_ url: String, saying part: String) throws -> String {
      let connector = try PostgresConnector(url: url)
      do throws(ServerFault) {
        _ = try connector.connect(until: .after(seconds: 30))
        Issue.record("it is reached")
      } catch {
        guard case .unreachable(let message) = error else { throw error }
        #expect(message.contains(part) && !message.contains("\n"))
        return message
      }
      return ""
    }
  }
#endif
