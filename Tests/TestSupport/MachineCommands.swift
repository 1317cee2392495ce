import Foundation

/// The commands of this machine that tests use beyond Swift, bash and the coreutils. Tests whose
/// command is missing are left out; in CI they are run all the same, and fail: so no test is
/// silently left out there.
enum MachineCommands {
  /// The path on which scripts and transcripts find foreign commands.
  static let searchPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin"

  /// Whether all commands must be there.
  private static let areDemanded = ProcessInfo.processInfo.environment["CI"] == "true"

  /// Whether tests that need a command are run.
  static func expects(_ name: String) -> Bool { areDemanded || path(of: name) != nil }

  /// Whether tests that need a package's file are run.
  static func expectsFile(_ path: String) -> Bool {
    areDemanded || FileManager.default.fileExists(atPath: path)
  }

  static func path(of name: String) -> String? {
    searchPath.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
