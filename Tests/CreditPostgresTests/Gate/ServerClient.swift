#if Postgres
  import CreditModel
  import CreditPostgres
  import CreditServer
  import CreditStore
  import Foundation

  @testable import TestSupport

  /// A process that uses a store on a server.
  final class ServerClient {
    let store: ServerStore
    let system = FaultySystem()
    private let gate: any CreditGate

    init(_ url: String, lockTimeoutSeconds: Int = 60, faults: LinkFaults? = nil) throws {
      var options = StoreOptions(lockTimeoutSeconds: lockTimeoutSeconds)
      options.cacheFolder = FileManager.default.temporaryDirectory.path
      let connector = try PostgresConnector(url: url)
      store = ServerStore(
        StoreLocation(path: url, isNamed: true),
        faults.map { FaultyConnector(connector, $0) } ?? connector, options: options,
        system: system)
      gate = store.gate { _ in Name(trusted: UUID().uuidString.lowercased()) }
    }

    /// Makes its store.
    func create(policy: String) throws {
      let draft = try store.policyDraft(text: Array(policy.utf8))
      _ = try store.create(draft, at: Timestamp(milliseconds: 0))
    }

    func perform(_ requests: [GateRequest]) throws -> [GateAnswer] {
      try gate.perform(requests, under: store.policyOfBatch())
    }

    /// Charges some units.
    /// - Returns: the credits charged, or nil and the error.
    func charge(
      _ account: String, _ key: String, units: Int64 = 1
    ) throws -> (credits: Int64?, CreditError?) {
      switch try perform([Self.charging(account, key, units: units)])[0] {
      case .success(.receipt(let charge, _)): (charge.receipt.creditsCharged, nil)
      case .success: (nil, nil)
      case .failure(let error): (nil, error)
      }
    }

    /// - Parameter amends: whether it corrects a charge of the same key.
    static func charging(
      _ account: String, _ key: String, units: Int64 = 1, amends: Bool = false
    ) -> GateRequest {
      .charge(
        ChargeRequest(
          reference: .key(Name(trusted: key), account: Name(trusted: account)), model: "unit",
          usage: .counts(.units(units)), amends: amends))
    }
  }
#endif
