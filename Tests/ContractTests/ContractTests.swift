import Foundation
import Testing

@testable import TestSupport

/// The tools as a person at a shell meets them: every transcript, on the built executables.
@Suite(.slow) struct ContractTests {
  /// The transcripts: those that `CREDIT_TRANSCRIPTS` names (paths with colons between), else all.
  static let paths: [String] = {
    if let chosen = ProcessInfo.processInfo.environment["CREDIT_TRANSCRIPTS"] {
      return chosen.split(separator: ":").map(String.init)
    }
    let folder = Session.folder.appending(path: "Transcripts").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".txt") }.sorted().map { "\(folder)/\($0)" }
  }()

  @Test func transcriptsAreThere() {
    #expect(!Self.paths.isEmpty)
  }

  @Test(arguments: paths)
  func transcript(_ path: String) async throws {
    let transcript = try Transcript(path: path)
    let hasOtherGate = ProcessInfo.processInfo.environment["CREDIT_CONTRACT_STORE"] != nil
    if transcript.isLocalOnly, hasOtherGate { return }
    let session = try Session()
    defer { session.remove() }
    let steps = transcript.steps.filter { step in
      step.needs.allSatisfy(MachineCommands.expects) && !(step.isLocalOnly && hasOtherGate)
    }
    if steps.isEmpty { return }
    let (outcomes, timedOut) = try await session.run(steps)
    for (step, outcome) in zip(steps, outcomes) {
      guard let status = outcome.status else {
        let limit = "still running when the transcript's \(Session.timeoutSeconds) s were over"
        report(timedOut ? limit : "the shell ended here", step, transcript)
        break
      }
      for fault in try faults(of: outcome, status: status, expected: step) {
        report(fault, step, transcript)
      }
    }
  }

  /// Returns the deviations of one step's outcome.
  private func faults(
    of outcome: Session.Outcome, status: Int, expected step: Transcript.Step
  ) throws -> [String] {
    var faults: [String] = []
    if let text = try difference(expected: step.output.map(Pattern.init), actual: outcome.output) {
      faults.append("standard output:\n\(text)")
    }
    let silence: [String]? = step.status == 0 ? [] : nil
    var shown = outcome.errors.map { "\n! \($0)" }.joined()
    if let errors = step.errors ?? silence,
      let text = try difference(expected: errors.map(Pattern.init), actual: outcome.errors)
    {
      faults.append("standard error:\n\(text)")
      shown = ""
    }
    if status != step.status {
      faults.append("exit status \(status), not \(step.status)\(shown)")
    }
    return faults
  }

  /// Records a fault at the transcript's own line, with the command as it was given.
  private func report(_ fault: String, _ step: Transcript.Step, _ transcript: Transcript) {
    let name = URL(filePath: transcript.path).lastPathComponent
    let command = step.command.replacingOccurrences(of: "\n", with: "\n> ")
    let place = SourceLocation(
      fileID: "ContractTests/\(name)", filePath: transcript.path, line: step.line, column: 1)
    Issue.record("\(name):\(step.line)\n$ \(command)\n\(fault)", sourceLocation: place)
  }
}
