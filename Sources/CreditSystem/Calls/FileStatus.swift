/// The kind of thing that is at a path.
public enum FileKind: String, Sendable {
  case regular = "file"
  case directory
  case symbolicLink = "symbolic link"
  case other = "special file"
}

/// The owner of a file, and its mode.
public struct FileAccess: Equatable, Sendable {
  public var user: UInt32
  public var group: UInt32

  /// The permission bits, at most 0o777.
  public var mode: UInt32

  public init(user: UInt32, group: UInt32, mode: UInt32) {
    self.user = user
    self.group = group
    self.mode = mode
  }
}

public struct FileStatus: Equatable, Sendable {
  /// Identity of a file: two names with the same one are the same file.
  public struct Identity: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
      self.device = device
      self.inode = inode
    }
  }

  public let kind: FileKind
  public let identity: Identity

  /// The file's length in bytes.
  public let byteCount: Int

  /// The last change of the file's bytes or attributes, in nanoseconds since 1970.
  public var changedNanoseconds: Int64 = 0

  public var access = FileAccess(user: 0, group: 0, mode: 0o600)
}

/// The room of a file system in bytes.
public struct DiskSpace: Equatable, Sendable {
  /// The bytes that this process may still write.
  public let free: Int64
  public let total: Int64
}
