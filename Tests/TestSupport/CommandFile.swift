import Foundation

/// A file that can be run as a command.
enum CommandFile {
  /// Makes a command of a text.
  ///
  /// A parallel test may start a program while a file is written here. The program then has it open
  /// for writing, too, so that it can't be run. A file that `cp` writes is only open in `cp`.
  static func make(_ text: String, at file: URL, mode: Int = 0o755) throws {
    let draft = file.appendingPathExtension("text")
    try Data(text.utf8).write(to: draft)
    _ = try TestProcess.run("/bin/cp", [draft.path, file.path])
    try FileManager.default.removeItem(at: draft)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
  }
}
