import CreditJSON
import CreditModel
import Testing

@testable import CreditCommand
@testable import TestSupport

/// One charge, with each of its system calls failing once: its answer must be true.
@Suite struct FaultTests {
  private static let policy = #"{"models":[{"id":"unit","creditsPerUnit":1}],"starterCredits":100}"#
  private static let charge = [
    "--account", "alice", "--key", "k", "--model", "unit", "--units", "7",
  ]

  /// A machine on which alice has been charged 1.
  private func makeHost() -> MemoryHost {
    let host = MemoryHost(policy: Self.policy)
    host.run(.charge, "--account", "alice", "--key", "first", "--model", "unit", "--units", "1")
    return host
  }

  private enum Answer {
    case receipt(balance: Int64)
    case error(code: CreditError.Code, outcome: String?)
  }

  private func answer(_ outcome: MemoryHost.Outcome) throws -> Answer {
    try JSONDocument(outcome.output).withRoot { value in
      if let code = CreditError.Code(ofResult: value) {
        #expect(outcome.status == code.exitStatus)
        return .error(code: code, outcome: value.member("error")?.string("outcome"))
      }
      // A success only mentions that the previous run's append was cut short.
      let others = outcome.errors.split(separator: "\n").filter {
        !$0.hasPrefix("credit-charge: an append at the journal's end was cut short, ")
      }
      #expect(outcome.status == 0 && others.isEmpty)
      return .receipt(balance: try #require(value.int64("newBalance")))
    }
  }

  private func balance(_ host: MemoryHost) -> String {
    host.run(.balance, "--account", "alice", "--get", "balance").output
  }

  /// EIO, ENOSPC and EACCES, once, and from there on.
  @Test(arguments: [5, 28, 13] as [Int32], [false, true])
  func eachCallFails(code: Int32, isLasting: Bool) throws {
    var errorCount = 0
    for call in 1... {
      let host = makeHost()
      let process = SimulatedProcess(host.machine)
      process.arm(.fail(code: code, isLasting: isLasting), at: call)
      let outcome = host.run(.charge, Self.charge, MemoryStreams([]), process: process)
      guard process.hasFailed else {
        #expect(errorCount > 10, "few of the \(call - 1) calls matter")
        return
      }
      let told = "call \(call), \(process.fate): \(outcome)"
      switch try answer(outcome) {
      case .receipt(let balance):
        #expect(balance == 92, "\(told)")
      case .error(_, let outcome):
        errorCount += 1
        #expect(outcome == "none" || outcome == "unknown", "\(told)")
        // A failed sync leaves a mark; rebuilding removes it and changes nothing else.
        #expect(host.run(.store, "rebuild").status == 0, "\(told)")
        if outcome == "none" { #expect(balance(host) == "99\n", "\(told)") }
      }
      // Again, with the same key: it is charged once.
      let again = host.run(.charge, Self.charge, MemoryStreams([]))
      guard case .receipt(92) = try answer(again) else {
        Issue.record("\(told), then \(again)")
        continue
      }
      #expect(balance(host) == "92\n", "\(told)")
      #expect(host.run(.store, "verify").status == 0, "\(told)")
    }
  }

  /// A process that dies at a call prints nothing, and a repetition is done once.
  @Test func eachCallIsTheLast() throws {
    for call in 1... {
      let host = makeHost()
      let process = SimulatedProcess(host.machine)
      process.arm(.kill, at: call)
      _ = host.run(.charge, Self.charge, MemoryStreams([]), process: process)
      guard process.fate != "undisturbed" else { return }
      _ = host.machine.settle()
      let again = host.run(.charge, Self.charge, MemoryStreams([]))
      guard case .receipt(92) = try answer(again) else {
        Issue.record("call \(call), \(process.fate), then \(again)")
        continue
      }
      #expect(balance(host) == "92\n" && host.run(.store, "verify").status == 0)
    }
  }
}
