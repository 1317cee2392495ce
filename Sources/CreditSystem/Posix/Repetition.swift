internal import CLibrary

/// Repeats a call for as long as a signal interrupts it (`EINTR`).
/// - Parameters:
///   - call: the call's name, one word.
///   - name: its file, if any.
/// - Returns: the call's result, never negative.
@discardableResult
func repeating<Result: SignedInteger>(
  _ call: String, _ name: String? = nil, _ body: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result >= 0 { return result }
    let code = errno
    if code != EINTR { throw SystemError(call: call, code: code, name: name) }
  }
}

/// Also repeats a call while its descriptor is not ready (`EAGAIN`). Another process may have made
/// it non-blocking.
func whenReady(
  _ descriptor: Int32, for readiness: Readiness, _ call: String, _ name: String, _ body: () -> Int
) throws(SystemError) -> Int {
  while true {
    do {
      return try repeating(call, name, body)
    } catch {
      guard error.code == EAGAIN else { throw error }
      _ = try? readiness.wait(on: descriptor, until: nil)
    }
  }
}

/// Writes all of the bytes at a descriptor's current position.
func writeAll(_ bytes: Bytes, to descriptor: Int32, name: String) throws(SystemError) {
  var done = 0
  while done < bytes.count {
    let rest = Bytes(rebasing: bytes[done...])
    done += try whenReady(descriptor, for: .writing, "write", name) {
      write(descriptor, rest.baseAddress, rest.count)
    }
  }
}

/// Files that people read. A new one has the permissions that their umask leaves.
public enum TextFile {
  public static func read(_ path: String) throws(SystemError) -> String {
    var bytes: [UInt8] = []
    try forEachPiece(of: path) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A file that is open for a text. An existing one keeps its contents until the text comes.
public final class OpenTextFile {
  private let path: String
  private let file: Int32

  public init(_ path: String) throws(SystemError) {
    self.path = path
    file = try repeating("open", path) {
      open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    }
  }

  deinit { close(file) }

  /// Replaces the contents. If a standard stream is redirected to the file, the text goes there,
  /// and the contents stay.
  public func replace(with text: String) throws(SystemError) {
    let system = PosixSystem()
    let status = try system.status(of: file)
    let stream = [STDOUT_FILENO, STDERR_FILENO].first {
      (try? system.status(of: $0))?.identity == status.identity
    }
    // A pipe or a device has no contents.
    if status.kind == .regular, stream == nil { try system.setLength(file, 0) }
    try text.utf8Span.span.withBytes { bytes throws(SystemError) in
      try writeAll(bytes, to: stream ?? file, name: path)
    }
  }
}

/// Calls `body` with a file's bytes, a piece at a time.
func forEachPiece(of path: String, _ body: (Bytes) -> Void) throws(SystemError) {
  let file = try repeating("open", path) { open(path, O_RDONLY | O_CLOEXEC) }
  defer { close(file) }
  try forEachPiece { block throws(SystemError) in
    try repeating("read", path) { CLibrary.read(file, block.baseAddress, block.count) }
  } take: { piece throws(SystemError) in
    body(piece)
  }
}

/// Calls `take` with pieces of at most 64 KiB, to the end.
/// - Parameter read: fills a piece and returns its number of bytes; 0 at the end.
public func forEachPiece<Failure>(
  read: (MutableBytes) throws(Failure) -> Int,
  take: (Bytes) throws(Failure) -> Void
) throws(Failure) {
  let block = MutableBytes.allocate(byteCount: 1 << 16, alignment: 8)
  defer { block.deallocate() }
  while true {
    let count = try read(block)
    if count == 0 { return }
    try take(Bytes(rebasing: block[..<count]))
  }
}

/// Returns the bytes up to the end, or the first ones if there are more than `limit`.
///
/// Those are more than `limit`, too.
/// - Parameter read: reads bytes from an offset on and returns their number; 0 at the end.
public func readBytes<Failure>(
  limit: Int, read: (MutableBytes, _ offset: Int) throws(Failure) -> Int
) throws(Failure) -> [UInt8] {
  var bytes: [UInt8] = []
  try forEachPiece { block throws(Failure) in
    bytes.count > limit ? 0 : try read(block, bytes.count)
  } take: { piece throws(Failure) in
    bytes.append(contentsOf: piece)
  }
  return bytes
}
