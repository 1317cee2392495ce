#if Postgres
  import CreditServer
  import Foundation
  import Testing

  @testable import CreditPostgres

  struct ServerLocationTests {
    @Test(arguments: [
      "postgres://me:secret@host/db", "postgres://me@host/db?password=secret",
      "postgres://me@host/db?passwor%64=secret",
    ])
    func aPasswordOfTheAddressIsUsed(_ url: String) throws {
      let options = options(of: try ServerLocation(url: url))
      #expect(options["password"] == "secret" && options["user"] == "me")
    }

    @Test(arguments: [
      "postgres://host/db?nonsense=secret", "postgres://[secret/db", "postgres://host/%zzsecret",
      "postgres://host/db?secret", "postgres://host:1x:secret/db",
      "postgres://me:sec/ret@host/db", "postgres://me:%zzsecret@host",
      "postgres://me:secret@[::1/db",
      "postgres:///db?password=secret=secret", "postgres:///?secret",
    ])
    func unknownPartsAreNotShown(_ url: String) {
      do throws(UnusableLocation) {
        _ = try ServerLocation(url: url)
      } catch {
        #expect(error.reason.hasPrefix("not the address of a server: "))
        #expect(!error.reason.contains("secret"))
      }
    }

    @Test(arguments: [
      ("postgres://db.example/credits", "verify-full"),
      ("postgres://127.0.0.1.example/credits", "verify-full"),
      ("postgres://10.0.0.7", "verify-full"),
      ("postgres://localhost,db.example/credits", "verify-full"),
      ("postgres://localhost/credits?hostaddr=10.0.0.7", "verify-full"),
      ("postgres://db.example/credits?sslmode=require", "require"),
      ("postgres://db.example/credits?sslmode=disable", "disable"),
      ("postgres:///credits", nil),
      ("postgres:///credits?host=/var/run/postgresql", nil),
      ("postgres://%2Fvar%2Frun/credits", nil),
      ("postgres://localhost:6432/credits", nil),
      ("postgres://[::1]/credits", nil),
      ("postgresql://127.3.2.1", nil),
      ("postgres://db.example/credits?hostaddr=127.0.0.1", "verify-full"),
      ("postgres://localhost,db.example/credits?hostaddr=127.0.0.1,::1", "verify-full"),
      ("postgres://localhost/credits?hostaddr=127.0.0.1", nil),
      ("postgres:///credits?hostaddr=::1", nil),
    ])
    func certificatesOfOtherMachinesAreVerified(_ url: String, _ mode: String?) throws {
      let location = try ServerLocation(url: url)
      #expect(options(of: location)["sslmode"] == mode)
    }

    @Test func aServiceMaySayTheMode() throws {
      let file = NSTemporaryDirectory() + "/credit-service-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: file) }
      try "[plain]\nhost=db.example\n[open]\nhost=db.example\nsslmode=disable\n"
        .write(toFile: file, atomically: true, encoding: .utf8)
      setenv("PGSERVICEFILE", file, 1)
      defer { unsetenv("PGSERVICEFILE") }
      let plain = try ServerLocation(url: "postgres:///?service=plain")
      #expect(options(of: plain)["sslmode"] == "verify-full")
      let open = try ServerLocation(url: "postgres:///?service=open")
      #expect(options(of: open)["sslmode"] == nil)
    }

    @Test func namesItselfByDefault() throws {
      let url = "postgres:///db?client_encoding=LATIN1&application_name=till"
      let given = options(of: try ServerLocation(url: url))
      #expect(given["client_encoding"] == "UTF8")
      #expect(given["application_name"] == "till")
      #expect(given["fallback_application_name"] == "credit-tools")
    }

    private func options(of location: ServerLocation) -> [String: String] {
      location.hosts[0].withOptions { names, values in
        var options: [String: String] = [:]
        var index = 0
        while let name = names[index], let value = values[index] {
          options[String(cString: name)] = String(cString: value)
          index += 1
        }
        return options
      }
    }
  }
#endif
