internal import CreditStore
internal import CreditSystem

/// A folder for a few files that nobody else may see.
final class ScratchFolder {
  private let path: String
  private let system: any SystemCalls
  private var names: [String] = []

  /// Makes the folder, for its owner alone.
  /// - Parameter parent: the folder for temporary files, where the environment names one.
  init(in parent: String?, _ system: any SystemCalls) throws(SystemError) {
    let parent = parent.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    path = parent + "/credit-" + String(system.randomWord(), radix: 36)
    self.system = system
    // A name that is taken already, also by a link, is refused.
    try system.makeDirectory(path)
  }

  func path(of name: String) -> String { path + "/" + name }

  /// Writes a file, in place of one that is there.
  func write(_ bytes: [UInt8], to name: String) throws(SystemError) {
    if names.contains(name) { try system.removeFile(path(of: name)) } else { names.append(name) }
    let file = try system.openFile(path(of: name), .create)
    defer { system.closeFile(file) }
    var done = 0
    while done < bytes.count {
      done += try bytes.span.extracting(done...).withUnsafeBytes {
        rest throws(SystemError) in
        try system.writeBytes(file, rest, at: done)
      }
    }
  }

  /// Removes the files and the folder, as far as they are there.
  func remove() {
    for name in names { try? system.removeFile(path(of: name)) }
    ChildProcess.removeFolder(path)
  }
}
