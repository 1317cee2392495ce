import Foundation

@testable import TestSupport

/// One run of a transcript: a shell of its own, in a new directory, with an environment of its own.
struct Session {
  /// Outcome of one command; nil members if the shell ended before it.
  struct Outcome {
    let output: [String]
    let errors: [String]
    let status: Int?
  }

  /// Far more than any of them takes on a busy machine: only a hanging command exceeds it.
  static let timeoutSeconds = 600.0

  /// The folder of the transcripts and of the shell's side of a session.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  /// Room for the shells: beside hundreds of them a server does not answer in time.
  private static let room = DispatchSemaphore(value: 16)

  let root: URL

  /// Folder to keep sessions in, for other checks of their output and files; nil to remove them.
  private static let keptFolder = ProcessInfo.processInfo.environment["CREDIT_KEEP_SESSIONS"]

  /// Makes the session's directories: `work` (its first one), `home`, `tmp` and the steps.
  init() throws {
    let name = "credit-contract-\(UUID().uuidString)"
    let folder =
      Self.keptFolder.map { URL(filePath: $0, directoryHint: .isDirectory) }
      ?? FileManager.default.temporaryDirectory
    root = folder.appending(path: name).resolvingSymlinksInPath()
    for folder in ["work", "home", "tmp", "steps"] {
      try FileManager.default.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true)
    }
  }

  func remove() {
    if Self.keptFolder == nil { try? FileManager.default.removeItem(at: root) }
  }

  /// Runs every step and returns their outcomes, and whether the time ran out before the end.
  func run(_ steps: [Transcript.Step]) async throws -> (outcomes: [Outcome], timedOut: Bool) {
    for (index, step) in steps.enumerated() {
      try Data(step.command.utf8).write(to: file(index, "command"))
    }
    let timedOut = try await runShell()
    return (steps.indices.map(outcome), timedOut)
  }

  private func file(_ index: Int, _ kind: String) -> URL {
    root.appending(path: String(format: "steps/%04d.%@", index + 1, kind))
  }

  private func outcome(_ index: Int) -> Outcome {
    let status = contents(index, "status").trimmingCharacters(in: .whitespacesAndNewlines)
    return Outcome(
      output: lines(contents(index, "output")), errors: lines(contents(index, "errors")),
      status: Int(status))
  }

  private func contents(_ index: Int, _ kind: String) -> String {
    String(decoding: (try? Data(contentsOf: file(index, kind))) ?? Data(), as: UTF8.self)
  }

  /// The lines of a text; a last line without its end is told by a mark, for output must end its
  /// lines.
  private func lines(_ text: String) -> [String] {
    var lines = text.components(separatedBy: "\n")
    guard let last = lines.popLast(), !last.isEmpty else { return lines }
    return lines + [last + "<no newline>"]
  }

  private var environment: [String: String] {
    var environment = [
      "HOME": root.appending(path: "home").path, "TMPDIR": root.appending(path: "tmp").path,
      "PATH": "\(BuiltTools.folder):\(MachineCommands.searchPath)", "LC_ALL": "C.UTF-8",
      "CREDIT_FIXTURES": Self.folder.appending(path: "../Fixtures").standardized.path,
    ]
    let hook = "CREDIT_CONTRACT_STORE"
    environment[hook] = ProcessInfo.processInfo.environment[hook]
    return environment
  }

  /// Takes a place for a shell, if one is free.
  private static func takesRoom() -> Bool { room.wait(timeout: .now()) == .success }

  /// Runs the shell to its end, or until the time runs out.
  /// - Returns: true if it ran out.
  private func runShell() async throws -> Bool {
    while !Self.takesRoom() { try await Task.sleep(for: .milliseconds(10)) }
    defer { Self.room.signal() }
    let shell = try TestProcess(
      "/bin/bash",
      [Self.folder.appending(path: "session.bash").path, root.appending(path: "steps").path],
      in: root.appending(path: "work"), environment: environment)
    return await shell.end(within: Self.timeoutSeconds) == nil
  }
}
