internal import CLibrary

/// Memory that is zero at first, given back when its owner lets go of it.
///
/// The system provides such memory page by page as it is used, so a large table costs what is in
/// it.
package struct ZeroedMemory: ~Copyable {
  package let start: UnsafeMutableRawPointer

  package init(byteCount: Int) {
    guard let memory = calloc(byteCount, 1) else { preconditionFailure("out of memory") }
    start = memory
  }

  deinit {
    free(start)
  }
}
