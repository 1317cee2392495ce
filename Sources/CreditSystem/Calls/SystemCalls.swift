internal import CreditModel

/// Everything that the store does to the world, one primitive each, so that a test can count the
/// calls, fail any of them, or keep the files in memory. Interrupted calls (`EINTR`) are the
/// implementation's to repeat; short reads and writes are the caller's.
package protocol SystemCalls {
  /// Opens a file and returns its descriptor.
  func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32

  /// Closes a descriptor; what it was locked with goes with it.
  func closeFile(_ file: Int32)

  /// Reads bytes from `offset` on and returns how many: fewer than asked for now and then, 0 only
  /// at the end of the file.
  func readBytes(
    _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int

  /// Reads the next bytes of a file that may be a pipe; 0 only at its end.
  func readNext(
    _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int

  /// Writes bytes from `offset` on and returns how many were taken, at least 1.
  func writeBytes(
    _ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int

  /// Brings the file's bytes, and the length needed to read them, to stable storage.
  func syncData(_ file: Int32) throws(SystemError)

  /// Has the system begin to bring a part of a file to stable storage, if it can, and does not wait
  /// for it: a hint, so that a sync soon after has less to do.
  func beginSync(_ file: Int32, from offset: Int, byteCount: Int)

  /// Brings a file or directory with all that is known of it to stable storage.
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
  ) throws(SystemError) -> UnsafeMutableRawBufferPointer

  /// Brings what was written through a mapping to stable storage.
  func syncMapping(_ memory: UnsafeMutableRawBufferPointer) throws(SystemError)

  /// Has the memory of a new file, which holds nothing but zeros and is mapped to be written, at
  /// hand before it is, if the system can: that is a hint, and takes less time than to meet with
  /// each page.
  func prepareToWrite(_ file: Int32, _ memory: UnsafeMutableRawBufferPointer)

  /// Has what was read of a mapping count no more as this process's memory, until it is read again.
  func release(_ memory: UnsafeMutableRawBufferPointer)

  /// Ends a mapping.
  func unmap(_ memory: UnsafeMutableRawBufferPointer)

  /// Locks the file for this descriptor, waiting at most so long for others to let go.
  /// - Returns: false where another descriptor held it all the while.
  func lock(
    _ file: Int32, _ mode: LockMode, waitMilliseconds: Int
  ) throws(SystemError) -> Bool

  /// Returns the other process that holds a lock of the file.
  ///
  /// It is nil if the system does not tell.
  func lockHolder(of file: FileStatus.Identity) -> LockHolder?

  /// Gives the lock up.
  func unlock(_ file: Int32)

  /// Gives the file to a user and a group.
  /// - Parameter user: nil to leave it with the user that it has.
  func setOwner(_ file: Int32, user: UInt32?, group: UInt32) throws(SystemError)

  /// Sets the file's permission bits.
  func setMode(_ file: Int32, _ mode: UInt32) throws(SystemError)

  /// What is open under a descriptor.
  func status(of file: Int32) throws(SystemError) -> FileStatus

  /// Returns the status of what is at a path; nil if nothing is there.
  ///
  /// A symbolic link is not followed.
  func status(at path: String) throws(SystemError) -> FileStatus?

  /// Gives a file a new name in one step, in place of whatever file has that name.
  func renameFile(_ path: String, to newPath: String) throws(SystemError)

  /// Removes a file's name.
  func removeFile(_ path: String) throws(SystemError)

  /// Makes a directory for its owner alone (0700).
  func makeDirectory(_ path: String) throws(SystemError)

  /// Removes an empty directory.
  func removeDirectory(_ path: String) throws(SystemError)

  /// The names in a directory, in no order, without `.` and `..`.
  func names(in path: String) throws(SystemError) -> [String]

  /// The name of the network file system that a descriptor is on; nil on a disk of this machine.
  func networkFileSystem(of file: Int32) throws(SystemError) -> String?

  /// Returns the room on a path's disk; nil if the system does not tell.
  func diskSpace(at path: String) -> DiskSpace?

  /// Returns the id of the machine's current start. Nil if the system does not tell.
  func bootID() -> BootID?

  /// 64 bits that nobody can guess.
  func randomWord() -> UInt64

  /// The system clock, in microseconds since 1970 (UTC).
  func currentMicroseconds() -> Int64
}

extension SystemCalls {
  /// The system clock, in milliseconds since 1970 (UTC).
  package func currentMilliseconds() -> Int64 { currentMicroseconds() / 1000 }

  package func lockHolder(of file: FileStatus.Identity) -> LockHolder? { nil }

  package func diskSpace(at path: String) -> DiskSpace? { nil }

  // Folders are made for this process alone, and only on a real machine.
  package func removeDirectory(_ path: String) throws(SystemError) {}

  // It changes nothing but how much memory is counted.
  package func release(_ memory: UnsafeMutableRawBufferPointer) {}
}

/// A value that stays the same until the machine is started again.
package struct BootID: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension BootID {
  /// Reads the 32 hexadecimal digits of a UUID, whatever is between them.
  init?(uuid text: [UInt8]) {
    var (high, low, count): (UInt64, UInt64, Int) = (0, 0, 0)
    for byte in text {
      guard let digit = Hexadecimal.value(of: byte) else { continue }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit)
      count += 1
    }
    guard count == 32 else { return nil }
    self.init(high: high, low: low)
  }
}

/// How much room a file system has, in bytes.
package struct DiskSpace: Equatable, Sendable {
  /// What this process may still write.
  package let free: Int64
  package let total: Int64

  package init(free: Int64, total: Int64) {
    self.free = free
    self.total = total
  }
}

/// The kind of thing that is at a path.
package enum FileKind: String, Sendable {
  case regular = "file"
  case directory
  case symbolicLink = "symbolic link"
  case other = "special file"
}

/// Whose a file is, and who may do what with it.
package struct FileAccess: Equatable, Sendable {
  package var user: UInt32
  package var group: UInt32

  /// The permission bits, at most 0o777.
  package var mode: UInt32

  package init(user: UInt32, group: UInt32, mode: UInt32) {
    self.user = user
    self.group = group
    self.mode = mode
  }
}

/// What the system knows of a file.
package struct FileStatus: Equatable, Sendable {
  /// Which file it is, whatever its name: two names with one identity are one file.
  package struct Identity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
      self.device = device
      self.inode = inode
    }
  }

  package let kind: FileKind
  package let identity: Identity

  /// The file's length in bytes.
  package let byteCount: Int

  /// When the file's bytes or attributes changed last, in nanoseconds since 1970.
  package let changedNanoseconds: Int64

  package let access: FileAccess

  package init(
    kind: FileKind, identity: Identity, byteCount: Int, changedNanoseconds: Int64 = 0,
    access: FileAccess = FileAccess(user: 0, group: 0, mode: 0o600)
  ) {
    self.kind = kind
    self.identity = identity
    self.byteCount = byteCount
    self.changedNanoseconds = changedNanoseconds
    self.access = access
  }
}

/// A process that holds a lock.
package struct LockHolder: Equatable, Sendable {
  /// Its id.
  package let process: Int32

  /// The name of its command, as the system cuts it off.
  package let command: String

  /// When it was started, in milliseconds since 1970.
  package let startMilliseconds: Int64

  package init(process: Int32, command: String, startMilliseconds: Int64) {
    self.process = process
    self.command = command
    self.startMilliseconds = startMilliseconds
  }
}

/// How the store is locked: by one process alone, or by any number that only look.
package enum LockMode: Sendable {
  case exclusive
  case shared
}

/// How a file is opened. No mode hands the descriptor on to a child process. The modes for the
/// store's own files neither follow a symbolic link in the path's last component nor wait for the
/// other end of a FIFO.
package enum OpenMode: Sendable {
  /// An existing file, for reading.
  case read
  /// An existing file, for reading and writing.
  case update
  /// A file that must not exist yet, for reading and writing, for its owner alone (0600).
  case create
  /// `update`, or `create` if the file is missing.
  case updateOrCreate
  /// A directory, to sync it. Here a symbolic link is followed.
  case directory
  /// Whatever a person named, for reading from its start: links are followed, a pipe is waited for.
  case input
  /// A plain file that a person named, for reading: links are followed, nothing is waited for.
  case namedFile
}
