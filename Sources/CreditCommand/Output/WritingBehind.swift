internal import CreditJSON
internal import CreditSystem

/// Writes a part of a long listing on another thread, while the next part is printed: of 34 MB the
/// system takes as long to keep as they take to be printed.
final class WritingBehind {
  private let streams: any Streams
  private let thread = WorkerThread()
  /// The part that is being written: the thread's alone until it has been waited for.
  private var part = JSONWriter(capacity: 0)
  private var error: SystemError?

  init(_ streams: any Streams) {
    self.streams = streams
  }

  deinit { thread.wait() }

  /// Has a part be written, once that before it has been; ``finish()`` says what became of that.
  /// - Parameter text: the part; then empty.
  func start(_ text: inout JSONWriter) {
    thread.wait()
    swap(&part, &text)
    text.removeAll()
    // It is waited for before this goes.
    thread.start { [unowned(unsafe) self] in
      do throws(SystemError) {
        try part.withBytes { (bytes) throws(SystemError) in try streams.write(bytes) }
      } catch {
        self.error = error
      }
    }
  }

  /// Waits for what is being written, if anything is.
  /// - Throws: why that, or a part before it, could not be.
  func finish() throws(SystemError) {
    thread.wait()
    defer { error = nil }
    if let error { throw error }
  }
}
