import Foundation

/// The commands of this machine that tests use beyond Swift, bash and the coreutils. Where one is
/// missing, what needs it is left out; in CI it is run all the same, and fails: nothing stays
/// untested there without a word.
enum MachineCommands {
  /// Where scripts and transcripts look for commands that are not the package's.
  static let searchPath = "/usr/local/bin:/usr/bin:/bin:/usr/sbin"

  /// Whether all commands must be there.
  private static let areDemanded = ProcessInfo.processInfo.environment["CI"] == "true"

  /// Whether what needs a command is run.
  static func expects(_ name: String) -> Bool { areDemanded || path(of: name) != nil }

  /// Whether what needs a file of some package is run.
  static func expectsFile(_ path: String) -> Bool {
    areDemanded || FileManager.default.fileExists(atPath: path)
  }

  static func path(of name: String) -> String? {
    searchPath.split(separator: ":").map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
