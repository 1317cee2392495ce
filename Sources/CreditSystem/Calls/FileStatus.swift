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
