internal import CreditLogs
internal import CreditModel
internal import CreditSystem

/// The file of `--resume`, under its lock: another run on it waits.
///
/// The file is replaced and never written to. So a run that waited for a file that another has
/// replaced meanwhile goes on to the new one.
final class ResumeFile {
  private let path: String
  private let system: any SystemCalls
  private let file: Int32

  /// Opens the file, which is made if it is not there, and locks it.
  /// - Throws: `store_locked` where another run had it for so long, `io_error`,
  ///   `permission_denied`.
  init(_ path: String, system: any SystemCalls, waitMilliseconds: Int) throws(CreditError) {
    self.path = path
    self.system = system
    let end = system.currentMilliseconds() + Int64(min(waitMilliseconds, 1 << 40))
    while true {
      let file = try Self.naming(path) { () throws(SystemError) in
        try system.openFile(path, .updateOrCreate)
      }
      do throws(CreditError) {
        let rest = max(0, end - system.currentMilliseconds())
        guard try Self.lock(file, path, system, waitMilliseconds: Int(rest)) else {
          throw Self.locked(path)
        }
        let isCurrent = try Self.naming(path) { () throws(SystemError) in
          try system.status(at: path)?.identity == (try system.status(of: file)).identity
        }
        if isCurrent {
          self.file = file
          return
        }
      } catch {
        system.closeFile(file)
        throw error
      }
      system.closeFile(file)
    }
  }

  /// Gives the lock up.
  func close() { system.closeFile(file) }

  /// Reads what the last run left.
  /// - Throws: `invalid_request` if the text is not what this format's runs leave.
  func read(into positions: inout LogPositions) throws(CreditError) {
    let text = try Self.naming(path) { () throws(SystemError) in
      var text: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 1 << 16)
      while text.count <= LogPositions.byteLimit {
        var span = block.mutableSpan
        let count = try span.withUnsafeMutableBytes { buffer throws(SystemError) in
          try system.readBytes(file, into: buffer, at: text.count)
        }
        if count == 0 { break }
        text += block[..<count]
      }
      return text
    }
    do throws(LogPositions.Unreadable) {
      try positions.read(text)
    } catch {
      throw CreditError(
        .invalidRequest,
        "--resume: \(plainOrQuoted(path)) is no record of credit-usage for this format: "
          + "\(error.reason); without the file all logs are read from their start", [.path(path)])
    }
  }

  /// Puts a new file in its place, in one step.
  func replace(with positions: LogPositions) throws(CreditError) {
    let new = path + ".new"
    try Self.naming(new) { () throws(SystemError) in
      // What a run left that was killed: the lock is ours.
      if try system.status(at: new) != nil { try system.removeFile(new) }
      let file = try system.openFile(new, .create)
      defer { system.closeFile(file) }
      let text = positions.text
      var offset = 0
      while offset < text.count {
        offset += try text.span.withUnsafeBytes { bytes throws(SystemError) in
          try system.writeBytes(
            file, UnsafeRawBufferPointer(rebasing: bytes[offset...]), at: offset)
        }
      }
      try system.syncData(file)
      try system.renameFile(new, to: path)
    }
  }

  private static func lock(
    _ file: Int32, _ path: String, _ system: any SystemCalls, waitMilliseconds: Int
  ) throws(CreditError) -> Bool {
    try naming(path) { () throws(SystemError) in
      try system.lock(file, .exclusive, waitMilliseconds: waitMilliseconds)
    }
  }

  private static func locked(_ path: String) -> CreditError {
    CreditError(
      .storeLocked, "another run of credit-usage has \(plainOrQuoted(path)); try again",
      [.path(path)])
  }

  private static func naming<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(CreditError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw CreditError(
        error.isForbidden ? .permissionDenied : .ioError, "\(error.named(path))", [.path(path)])
    }
  }
}
