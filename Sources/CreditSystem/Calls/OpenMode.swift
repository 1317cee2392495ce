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
