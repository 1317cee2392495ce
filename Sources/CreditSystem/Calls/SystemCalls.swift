// Calls read and write bytes, which come with them.
@_exported public import CreditBytes

/// The store's effects on the system, one primitive each.
///
/// So a test can count the calls, fail any of them, or keep the files in memory. The implementation
/// repeats interrupted calls (`EINTR`); callers handle short reads and writes.
public protocol SystemCalls {
  func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32

  func closeFile(_ file: Int32)

  /// Reads bytes from `offset` on and returns their number: occasionally fewer than requested, 0
  /// only at the end of the file.
  func readBytes(
    _ file: Int32, into buffer: MutableBytes, at offset: Int
  ) throws(SystemError) -> Int

  /// Reads the next bytes of a file that may be a pipe; 0 only at its end.
  func readNext(
    _ file: Int32, into buffer: MutableBytes
  ) throws(SystemError) -> Int

  /// Writes bytes from `offset` on and returns how many were taken, at least 1.
  func writeBytes(
    _ file: Int32, _ bytes: Bytes, at offset: Int
  ) throws(SystemError) -> Int

  /// Brings the file's bytes, and the length needed to read them, to stable storage.
  func syncData(_ file: Int32) throws(SystemError)

  /// Makes the system begin to sync a part of a file, if it can, without waiting: a hint, so that a
  /// sync soon after has less to do.
  func beginSync(_ file: Int32, from offset: Int, byteCount: Int)

  /// Syncs a file or directory, with its metadata.
  func syncFile(_ file: Int32) throws(SystemError)

  /// Cuts or extends the file to a length in bytes.
  func setLength(_ file: Int32, _ byteCount: Int) throws(SystemError)

  /// Reserves the file's first `byteCount` bytes on disk.
  ///
  /// So a write through a mapping cannot find the disk full. A shorter file is extended with zeros.
  func allocate(_ file: Int32, _ byteCount: Int) throws(SystemError)

  /// Maps the file's first `byteCount` bytes, shared with every other process that maps them.
  func map(
    _ file: Int32, _ byteCount: Int, writable: Bool
  ) throws(SystemError) -> MutableBytes

  func syncMapping(_ memory: MutableBytes) throws(SystemError)

  /// Prepares the memory of a new, zero-filled mapped file for writing, if possible. This hint
  /// takes less time than a fault for each page.
  func prepareToWrite(_ file: Int32, _ memory: MutableBytes)

  /// Excludes a mapping's pages from this process's memory until they are read again.
  func release(_ memory: MutableBytes)

  func unmap(_ memory: MutableBytes)

  /// Locks the file for this descriptor, waiting for others at most this long.
  /// - Returns: false if another descriptor held it all the while.
  func lock(
    _ file: Int32, _ mode: LockMode, waitMilliseconds: Int
  ) throws(SystemError) -> Bool

  /// Returns the other process that holds a lock of the file, if the system tells.
  func lockHolder(of file: FileStatus.Identity) -> LockHolder?

  func unlock(_ file: Int32)

  /// Gives the file to a user and a group.
  /// - Parameter user: nil to leave it with the user that it has.
  func setOwner(_ file: Int32, user: UInt32?, group: UInt32) throws(SystemError)

  func setMode(_ file: Int32, _ mode: UInt32) throws(SystemError)

  func status(of file: Int32) throws(SystemError) -> FileStatus

  /// Returns the status of the file at a path, or nil if it is free. A symbolic link is not
  /// followed.
  func status(at path: String) throws(SystemError) -> FileStatus?

  func renameFile(_ path: String, to newPath: String) throws(SystemError)

  func removeFile(_ path: String) throws(SystemError)

  /// Makes a directory for its owner alone (0700).
  func makeDirectory(_ path: String) throws(SystemError)

  /// The names in a directory, in no order, without `.` and `..`.
  func names(in path: String) throws(SystemError) -> [String]

  /// The name of the network file system that a descriptor is on; nil on a disk of this machine.
  func networkFileSystem(of file: Int32) throws(SystemError) -> String?

  /// Returns the room on a path's disk, if the system tells.
  func diskSpace(at path: String) -> DiskSpace?

  /// Returns the id of the machine's current boot, if the system tells.
  func bootID() -> BootID?

  func randomWord() -> UInt64

  /// The system clock, in microseconds since 1970 (UTC).
  func currentMicroseconds() -> Int64
}

extension SystemCalls {
  /// The system clock, in milliseconds since 1970 (UTC).
  public func currentMilliseconds() -> Int64 { currentMicroseconds() / 1000 }

  public func lockHolder(of file: FileStatus.Identity) -> LockHolder? { nil }

  public func diskSpace(at path: String) -> DiskSpace? { nil }

  // It only changes how much memory is counted.
  public func release(_ memory: MutableBytes) {}
}

/// How the store is locked: by one process alone, or by any number that only look.
public enum LockMode: Sendable {
  case exclusive
  case shared
}

/// How a file is opened. No mode hands the descriptor on to a child process. The modes for the
/// store's own files neither follow a symbolic link in the path's last component nor wait for the
/// other end of a FIFO.
public enum OpenMode: Sendable {
  /// An existing file, for reading.
  case read
  /// An existing file, for reading and writing.
  case update
  /// A new file for reading and writing, for its owner alone (0600).
  case create
  /// `update`, or `create` if the file is missing.
  case updateOrCreate
  /// A directory, to sync it. Here a symbolic link is followed.
  case directory
  /// Any file that the user named, for reading from its start: links are followed, a pipe is waited
  /// for.
  case input
  /// A plain file that the user named, for reading: links are followed, but nothing is waited for.
  case namedFile
}
