internal import CreditSystem

/// A file and the memory that it is mapped to, which go together.
struct MappedFile: ~Copyable {
  /// The file.
  let file: FileDescriptor

  /// Which file it is.
  let identity: FileStatus.Identity

  /// The file's bytes; read-only unless it was mapped for writing.
  let memory: UnsafeMutableRawBufferPointer

  /// Maps all of a file.
  /// - Throws: ``StoreFault/system(_:)``, ``StoreFault/indexUnusable(_:)`` for an empty one.
  init(_ file: consuming FileDescriptor, writable: Bool) throws(StoreFault) {
    let status = try file.status()
    let number = file.number
    let system = file.system
    guard status.byteCount > 0 else { throw .indexUnusable("it is empty") }
    memory = try file.naming { () throws(SystemError) in
      try system.map(number, status.byteCount, writable: writable)
    }
    identity = status.identity
    self.file = file
  }

  deinit {
    file.system.unmap(memory)
  }

  /// Brings the first bytes, or all, to stable storage.
  func sync(byteCount: Int) throws(StoreFault) {
    let part = UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])
    try file.naming { () throws(SystemError) in try file.system.syncMapping(part) }
  }
}
