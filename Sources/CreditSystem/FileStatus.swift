/// The kind of thing that stands at a path.
package enum FileKind: String, Sendable {
  case regular = "file"
  case directory
  case symbolicLink = "symbolic link"
  case other = "special file"
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

  package init(
    kind: FileKind, identity: Identity, byteCount: Int, changedNanoseconds: Int64 = 0
  ) {
    self.kind = kind
    self.identity = identity
    self.byteCount = byteCount
    self.changedNanoseconds = changedNanoseconds
  }
}
