internal import CLibrary

/// Writes files that people are to read, with the permissions that their umask leaves.
package enum TextFile {
  /// Makes a folder if it is missing.
  package static func makeFolder(_ path: String) throws(SystemError) {
    do {
      try repeating("mkdir", path) { mkdir(path, 0o777) }
    } catch {
      if !error.isPresent { throw error }
    }
  }

  /// Makes a file, or replaces what one has in it.
  package static func write(_ text: String, to path: String) throws(SystemError) {
    let file = try repeating("open", path) {
      open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }
    defer { close(file) }
    try text.utf8Span.span.withUnsafeBytes { bytes throws(SystemError) in
      try writeAll(bytes, to: file, name: path)
    }
  }
}
