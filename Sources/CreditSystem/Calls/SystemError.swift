internal import CLibrary
internal import CreditModel

/// A system call that failed: which, on what, and the system's reason.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call that failed, in a word: `open`, `write`, `sync`.
  package let call: String

  /// The value of `errno`.
  package let code: Int32

  /// The file's name or path, if the call was about a file.
  package let name: String?

  package init(call: String, code: Int32, name: String? = nil) {
    self.call = call
    self.code = code
    self.name = name
  }

  /// The same failure, told of the file by this name.
  package func named(_ name: String) -> SystemError {
    SystemError(call: call, code: code, name: name)
  }

  /// One line: `write journal.jsonl: No space left on device`.
  package var description: String {
    let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    guard let name else { return "\(call): \(reason)" }
    return "\(call) \(plainOrQuoted(name)): \(reason)"
  }

  /// A file that is longer than what may be read of it.
  package static func tooLarge(_ name: String) -> SystemError {
    SystemError(call: "read", code: EFBIG, name: name)
  }

  /// A file that is not to be changed.
  package static func readOnly(_ name: String) -> SystemError {
    SystemError(call: "write", code: EROFS, name: name)
  }

  /// A file whose name is no UTF-8, which no path can say.
  package static func notText(_ name: String) -> SystemError {
    SystemError(call: "open", code: EILSEQ, name: name)
  }

  /// True if nothing is at the path (`ENOENT`, `ENOTDIR`).
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// True if something is at the path already (`EEXIST`).
  package var isPresent: Bool { code == EEXIST }

  /// True if nobody reads what is written (`EPIPE`).
  package var isBrokenPipe: Bool { code == EPIPE }

  /// True if the user may not do this (`EACCES`, `EPERM`, `EROFS`).
  package var isForbidden: Bool { code == EACCES || code == EPERM || code == EROFS }

  /// True if the path names a kind of file that the call refuses.
  ///
  /// That is a symbolic link, a directory, a device without a driver or a FIFO without a reader
  /// (`ELOOP`, `EMLINK`, `EISDIR`, `ENXIO`).
  package var isWrongKind: Bool {
    code == ELOOP || code == EMLINK || code == EISDIR || code == ENXIO
  }
}
