import Foundation

/// A script, run in the package's root to its end on the built tools, with a home and a temporary
/// directory of its own.
final class Script {
  /// A script's output, errors included, and its status.
  struct Outcome {
    let output: String
    let status: Int32
    let timedOut: Bool
  }

  static let timeoutSeconds = 300.0

  /// The script's own directory, made here, with `home/me` and `commands` (searched before the
  /// tools).
  let root: URL

  init() throws {
    let name = "credit-examples-\(UUID().uuidString)"
    root = FileManager.default.temporaryDirectory.appending(path: name).resolvingSymlinksInPath()
    for folder in ["home/me", "commands"] {
      try FileManager.default.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true)
    }
  }

  deinit {
    try? FileManager.default.removeItem(at: root)
  }

  /// Makes a command that only this script finds.
  func add(command: String, _ text: String) throws {
    try CommandFile.make("#!/bin/sh\n\(text)\n", at: root.appending(path: "commands/\(command)"))
  }

  static func run(_ arguments: [String]) async throws -> Outcome {
    try await Script().run(arguments)
  }

  /// Runs bash with these arguments in the package's root.
  func run(_ arguments: [String]) async throws -> Outcome {
    let log = root.appending(path: "output")
    try Data().write(to: log)
    let shell = try TestProcess(
      "/bin/bash", arguments, in: Checkout.root, environment: environment, output: log.path,
      errors: log.path)
    let status = await shell.end(within: Self.timeoutSeconds)
    return Outcome(
      output: String(decoding: try Data(contentsOf: log), as: UTF8.self),
      status: status ?? SIGKILL, timedOut: status == nil)
  }

  private var environment: [String: String] {
    [
      "HOME": root.appending(path: "home/me").path, "TMPDIR": root.path,
      "PATH": "\(root.path)/commands:\(BuiltTools.folder):\(MachineCommands.searchPath)",
      "CREDIT_TOOLS_BIN": BuiltTools.folder, "QUICKSTART_BIN": BuiltTools.folder,
      "LC_ALL": "C.UTF-8",
    ]
  }
}
