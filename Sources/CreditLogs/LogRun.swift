internal import CreditJSON
internal import CreditModel
package import CreditSystem

/// What becomes of the reading of logs while it goes on.
package protocol LogOutput: AnyObject {
  /// Takes a request: a JSON object without a line feed. It is valid only for the call.
  func print(_ request: UnsafeRawBufferPointer)
  /// A record that should be billed cannot be, or is damaged.
  func report(_ problem: LogProblem, in file: LogFile, line: Int)
  /// A file or folder could not be read, or not to its end.
  func report(_ failure: SystemError)
  /// So many bytes more have been read.
  /// - Returns: false where the rest is not to be read, as nobody takes what is printed.
  func advance(_ byteCount: Int) -> Bool
}

/// Reads logs of one format, in the order in which it is given them, and prints one charge request
/// for each message.
package final class LogRun {
  private let format: any LogFormat
  private let description: LogDescription
  private let system: any SystemCalls
  private let output: any LogOutput
  private let collector: LogCollector
  private var hasEnded = false

  package init(
    _ format: any LogFormat.Type, _ selection: LogSelection, system: any SystemCalls,
    output: any LogOutput
  ) {
    self.format = format.init()
    description = format.description
    self.system = system
    self.output = output
    collector = LogCollector(
      source: description.name, selection, seed: (system.randomWord(), system.randomWord()),
      output: output)
  }

  /// Reads a file, or the files of the format in a folder and the folders within.
  package func read(_ path: String) {
    do throws(SystemError) {
      let file = try system.openFile(path, .input)
      let status: FileStatus
      do throws(SystemError) {
        status = try system.status(of: file)
      } catch {
        system.closeFile(file)
        throw error
      }
      guard status.kind == .directory else { return try readAndClose(file, path) }
      system.closeFile(file)
    } catch {
      return output.report(error.named(path))
    }
    var walk = FolderWalk(system, endings: description.endings)
    walk.visit(path, failed: output.report) { path in readFound(path) }
  }

  private func readFound(_ path: String) {
    guard format.reads(LogFile(path: path)) else { return }
    do throws(SystemError) {
      try readAndClose(try system.openFile(path, .namedFile), path)
    } catch {
      output.report(error.named(path))
    }
  }

  private func readAndClose(_ file: Int32, _ path: String) throws(SystemError) {
    defer { system.closeFile(file) }
    try read(LogFile(path: path)) { (buffer) throws(SystemError) in
      try system.readNext(file, into: buffer)
    }
  }

  /// Reads one text.
  /// - Parameter fill: reads the next bytes of it, and says how many; 0 at its end.
  package func read<Failure: Error>(
    _ file: LogFile, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    format.begin(file)
    var text = LogText(format)
    var isFinal = false
    while !isFinal, !hasEnded {
      let count = try text.withFreeSpace(fill)
      isFinal = count == 0
      text.take(isFinal: isFinal) { record, line in take(record, at: (file, line)) }
      if !output.advance(count) { hasEnded = true }
    }
  }

  private func take(_ record: Result<JSONValue, LogProblem>, at place: (file: LogFile, line: Int)) {
    collector.place = place
    collector.attempt { () throws(LogProblem) in
      let record = try record.get()
      guard record.isObject else { throw .notObject }
      try format.read(record, into: collector)
    }
  }

  /// Prints what only the end of all logs shows.
  /// - Returns: what was not printed, by reason.
  package func finish() -> LogTally {
    format.finish(into: collector)
    collector.finish()
    return collector.tally
  }
}
