public import CreditModel
public import CreditSystem

/// An open file, closed when its owner releases it.
///
/// Every method throws ``StoreFault/system(_:)`` with the file's name in it.
public struct FileDescriptor: ~Copyable {
  public let system: any SystemCalls

  public let number: Int32

  /// The file's name in messages.
  public let name: String

  /// The file's kind, identity and length when it was opened.
  public let opened: FileStatus

  /// Opens a file; it is closed again if its status can't be read.
  public init(_ path: String, _ mode: OpenMode, _ system: any SystemCalls) throws(StoreFault) {
    let number = try calling { () throws(SystemError) in try system.openFile(path, mode) }
    do {
      opened = try system.status(of: number)
    } catch {
      system.closeFile(number)
      throw .system(error.named(path))
    }
    self.system = system
    self.number = number
    name = path
  }

  deinit {
    system.closeFile(number)
  }

  public func status() throws(StoreFault) -> FileStatus {
    try naming { () throws(SystemError) in try system.status(of: number) }
  }

  /// Takes the lock of the file.
  /// - Parameter waitMilliseconds: how long to wait for other processes; 0 tries once.
  /// - Returns: false if another process kept it.
  public func lock(_ mode: LockMode, waitMilliseconds: Int) throws(StoreFault) -> Bool {
    try naming { () throws(SystemError) in
      try system.lock(number, mode, waitMilliseconds: waitMilliseconds)
    }
  }

  public func unlock() { system.unlock(number) }

  /// Reads from `offset` on until the buffer is full or the file ends.
  /// - Returns: the number of bytes read.
  public func read(into buffer: MutableBytes, at offset: Int) throws(StoreFault) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = MutableBytes(rebasing: buffer[done...])
      let position = offset + done
      let count = try naming { () throws(SystemError) in
        try system.readBytes(number, into: rest, at: position)
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads the bytes of a range; fewer if the file ends before.
  public func bytes(_ range: Range<Int>) throws(StoreFault) -> [UInt8] {
    try [UInt8](capacity: range.count) { (buffer) throws(StoreFault) in
      try read(into: buffer, at: range.lowerBound)
    }
  }

  /// Reads the whole file, as long as it was when it was opened.
  /// - Throws: also ``StoreFault/system(_:)`` with `EFBIG` if it has more than `limit` bytes.
  public func contents(limit: Int) throws(StoreFault) -> [UInt8] {
    guard opened.byteCount <= limit else { throw .system(.tooLarge(name)) }
    return try bytes(0..<opened.byteCount)
  }

  public func write(_ bytes: Bytes, at offset: Int) throws(StoreFault) {
    var done = 0
    while done < bytes.count {
      let rest = Bytes(rebasing: bytes[done...])
      let position = offset + done
      done += try naming { () throws(SystemError) in
        try system.writeBytes(number, rest, at: position)
      }
    }
  }

  /// Makes the system begin to sync bytes, without waiting.
  ///
  /// Leaves out the last page if the next bytes will be added to it: it would be written twice, and
  /// a sync would wait for both.
  func beginSync(from offset: Int, byteCount: Int) {
    let start = offset / Self.pageByteCount * Self.pageByteCount
    let end = (offset + byteCount) / Self.pageByteCount * Self.pageByteCount
    if start < end { system.beginSync(number, from: start, byteCount: end - start) }
  }

  private static let pageByteCount = 4096

  public func syncData() throws(StoreFault) {
    try naming { () throws(SystemError) in try system.syncData(number) }
  }

  /// Syncs the file, or a directory's names.
  public func sync() throws(StoreFault) {
    try naming { () throws(SystemError) in try system.syncFile(number) }
  }

  public func setLength(_ byteCount: Int) throws(StoreFault) {
    try naming { () throws(SystemError) in try system.setLength(number, byteCount) }
  }

  /// Runs system calls, and adds the file's name to their errors.
  func naming<Result>(_ body: () throws(SystemError) -> Result) throws(StoreFault) -> Result {
    do {
      return try body()
    } catch {
      throw .system(error.named(name))
    }
  }
}

/// A file named on the command line. It may be a pipe, whose end is waited for.
public enum InputFile {
  public static let byteLimit = PolicyFile.byteLimit

  /// Reads a whole file. Follows a link, but refuses a directory.
  /// - Throws: `io_error`, also if it is too long; `permission_denied`.
  public static func read(_ path: String, _ system: any SystemCalls) throws(CreditError) -> [UInt8]
  {
    try reporting { () throws(StoreFault) in
      let file = try FileDescriptor(path, .input, system)
      let bytes = try readBytes(limit: byteLimit) { block, _ throws(StoreFault) in
        try file.naming { () throws(SystemError) in try system.readNext(file.number, into: block) }
      }
      if bytes.count > byteLimit { throw StoreFault.system(.tooLarge(path)) }
      return bytes
    }
  }
}
