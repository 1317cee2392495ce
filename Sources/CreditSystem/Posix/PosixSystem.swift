internal import CLibrary
internal import CShims

public struct PosixSystem: SystemCalls, Sendable {
  public init() {}

  public func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32 {
    let plain = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let flags =
      switch mode {
      case .read: O_RDONLY | plain
      case .update: O_RDWR | plain
      case .create: O_RDWR | O_CREAT | O_EXCL | plain
      case .updateOrCreate: O_RDWR | O_CREAT | plain
      case .directory: O_RDONLY | O_DIRECTORY | O_CLOEXEC
      case .input: O_RDONLY | O_CLOEXEC | O_NOCTTY
      case .namedFile: O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
      }
    return try repeating("open", path) { path.withCString { open($0, flags, mode_t(0o600)) } }
  }

  /// A failing `close` frees the descriptor all the same, and all important bytes were synced
  /// before; no more can be done.
  public func closeFile(_ file: Int32) { _ = close(file) }

  public func readBytes(
    _ file: Int32, into buffer: MutableBytes, at offset: Int
  ) throws(SystemError) -> Int {
    try repeating("read") { pread(file, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  public func readNext(_ file: Int32, into buffer: MutableBytes) throws(SystemError) -> Int {
    try repeating("read") { read(file, buffer.baseAddress, buffer.count) }
  }

  public func writeBytes(_ file: Int32, _ bytes: Bytes, at offset: Int) throws(SystemError) -> Int {
    let count = try repeating("write") {
      pwrite(file, bytes.baseAddress, bytes.count, off_t(offset))
    }
    // A write of 0 bytes without an error would be repeated forever.
    guard count > 0 || bytes.isEmpty else { throw SystemError(call: "write", code: EIO) }
    return count
  }

  public func beginSync(_ file: Int32, from offset: Int, byteCount: Int) {
    begin_sync(file, Int64(offset), Int64(byteCount))
  }

  public func syncData(_ file: Int32) throws(SystemError) {
    #if canImport(Darwin)
      try syncFile(file)
    #else
      try repeating("sync") { fdatasync(file) }
    #endif
  }

  public func syncFile(_ file: Int32) throws(SystemError) {
    #if canImport(Darwin)
      // fsync leaves the bytes in the drive's cache; not every file system has the stronger call.
      if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    try repeating("sync") { fsync(file) }
  }

  public func setLength(_ file: Int32, _ byteCount: Int) throws(SystemError) {
    try repeating("truncate") { ftruncate(file, off_t(byteCount)) }
  }

  public func setOwner(_ file: Int32, user: UInt32?, group: UInt32) throws(SystemError) {
    // All ones leave the owner as it is.
    try repeating("chown") { fchown(file, user ?? .max, group) }
  }

  public func setMode(_ file: Int32, _ mode: UInt32) throws(SystemError) {
    try repeating("chmod") { fchmod(file, mode_t(mode)) }
  }

  public func status(of file: Int32) throws(SystemError) -> FileStatus {
    var status = stat()
    try repeating("stat") { fstat(file, &status) }
    return FileStatus(status)
  }

  public func status(at path: String) throws(SystemError) -> FileStatus? {
    var status = stat()
    do {
      try repeating("stat", path) { path.withCString { lstat($0, &status) } }
    } catch {
      if error.isMissing { return nil }
      throw error
    }
    return FileStatus(status)
  }

  public func renameFile(_ path: String, to newPath: String) throws(SystemError) {
    try repeating("rename", path) { rename(path, newPath) }
  }

  public func removeFile(_ path: String) throws(SystemError) {
    try repeating("remove", path) { unlink(path) }
  }

  public func makeDirectory(_ path: String) throws(SystemError) {
    try repeating("mkdir", path) { mkdir(path, mode_t(0o700)) }
  }

  public func names(in path: String) throws(SystemError) -> [String] {
    guard let directory = opendir(path) else {
      throw SystemError(call: "open", code: errno, name: path)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw SystemError(call: "read", code: errno, name: path) }
    return names
  }

  public func randomWord() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  public func currentMicroseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    let kind: FileKind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    let identity = Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      inode: UInt64(truncatingIfNeeded: status.st_ino))
    #if canImport(Darwin)
      let changed = status.st_ctimespec
    #else
      let changed = status.st_ctim
    #endif
    self.init(
      kind: kind, identity: identity, byteCount: Int(status.st_size),
      changedNanoseconds: Int64(changed.tv_sec) * 1_000_000_000 + Int64(changed.tv_nsec),
      access: FileAccess(
        user: status.st_uid, group: status.st_gid, mode: UInt32(status.st_mode & 0o777)))
  }
}

/// A system call that failed: the call, its file, and the system's reason.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call that failed, in a word: `open`, `write`, `sync`.
  public let call: String

  public let code: Int32

  /// The file's name or path, if the call was about a file.
  public var name: String?

  /// Returns the same failure with this name of the file.
  public func named(_ name: String) -> SystemError {
    SystemError(call: call, code: code, name: name)
  }

  /// A sentence: `can't write journal.jsonl: no space left on device`.
  public var description: String {
    let file = name.map { " " + plainOrQuoted($0) } ?? ""
    return "can't \(Self.verbs[call] ?? call)\(file): \(reason)"
  }

  /// The system's reason, as the end of a sentence.
  public var reason: String {
    guard let text = strerror(code) else { return "error \(code)" }
    let reason = String(cString: text)
    // An abbreviation keeps its capitals.
    let isWord = reason.utf8.dropFirst().first.map { $0 >= UInt8(ascii: "a") } ?? false
    return isWord ? reason.prefix(1).lowercased() + reason.dropFirst() : reason
  }

  /// The actions of calls whose names are not plain English.
  private static let verbs = [
    "allocate": "reserve disk space for", "chmod": "set the permissions of",
    "chown": "set the owner of", "mkdir": "make the folder", "pipe": "make a pipe",
    "poll": "wait", "rmdir": "remove the folder", "stat": "examine",
    "truncate": "set the length of", "wait": "wait for a command",
  ]

  /// A file that is longer than allowed for reading.
  public static func tooLarge(_ name: String) -> SystemError {
    SystemError(call: "read", code: EFBIG, name: name)
  }

  /// A file that is not to be changed.
  public static func readOnly(_ name: String) -> SystemError {
    SystemError(call: "write", code: EROFS, name: name)
  }

  /// A file whose name is not UTF-8, so that no path can contain it.
  public static func notText(_ name: String) -> SystemError {
    SystemError(call: "open", code: EILSEQ, name: name)
  }

  /// True if there is no file at the path (`ENOENT`, `ENOTDIR`).
  public var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// True if something is at the path already (`EEXIST`).
  public var isPresent: Bool { code == EEXIST }

  /// True if the output is closed (`EPIPE`).
  public var isBrokenPipe: Bool { code == EPIPE }

  /// True if another user may do this (`EACCES`).
  public var isOfUser: Bool { code == EACCES }

  /// True if the user may not do this (`EACCES`, `EPERM`, `EROFS`).
  public var isForbidden: Bool { code == EACCES || code == EPERM || code == EROFS }

  /// True if the path names a kind of file that the call refuses.
  ///
  /// That is a symbolic link, a directory, a device without a driver or a FIFO without a reader
  /// (`ELOOP`, `EMLINK`, `EISDIR`, `ENXIO`).
  public var isWrongKind: Bool {
    code == ELOOP || code == EMLINK || code == EISDIR || code == ENXIO
  }
}
