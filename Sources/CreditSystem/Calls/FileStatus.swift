/// The kind of thing that is at a path.
package enum FileKind: String, Sendable {
  case regular = "file"
  case directory
  case symbolicLink = "symbolic link"
  case other = "special file"
}

/// The owner of a file, and its mode.
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

package struct FileStatus: Equatable, Sendable {
  /// Identity of a file: two names with the same one are the same file.
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

  /// The last change of the file's bytes or attributes, in nanoseconds since 1970.
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

/// The room of a file system in bytes.
package struct DiskSpace: Equatable, Sendable {
  /// The bytes that this process may still write.
  package let free: Int64
  package let total: Int64

  package init(free: Int64, total: Int64) {
    self.free = free
    self.total = total
  }
}
