public import CreditModel
public import CreditSystem

/// Receives the results while logs are read.
public protocol LogOutput: AnyObject {
  /// Takes a request: a JSON object without a line feed. It is valid only for the call.
  func print(_ request: Bytes)
  /// A record that should be billed cannot be, or is damaged.
  func report(_ problem: LogProblem, in file: LogFile, line: Int)
  /// A file or folder could not be read, or not to its end.
  func report(_ failure: SystemError)
  /// A database could not be read, or not to its end.
  func report(_ failure: CreditError)
  /// A log or a folder has no record of the format.
  func report(_ misfit: LogMisfit)
  /// Reports further bytes read.
  /// - Returns: false to stop, as the output is closed.
  func advance(_ byteCount: Int) -> Bool
}

/// Reads logs of one format, and prints a charge request for each message.
public final class LogRun {
  private let format: any LogFormat
  private let description: LogDescription
  private let system: any SystemCalls
  /// The folders of commands, as the variable `PATH` lists them.
  private let commands: String?
  private let output: any LogOutput
  private let collector: LogCollector
  private var hasEnded = false
  /// Previous position in each log. Nil if each is read from its start.
  private var positions: LogPositions?
  /// New positions in the logs of this run, with the number of each one's text.
  private var reached: [(position: LogPosition, text: Int)] = []
  private var met: Set<FileStatus.Identity> = []
  /// Number of logs, and the folders to find some in.
  private var logCount = 0
  private var folders: [String] = []

  /// - Parameter positions: the previous position in each log.
  public init(
    _ format: any LogFormat.Type, _ selection: LogSelection, from positions: LogPositions? = nil,
    system: any SystemCalls, commands: String? = nil, output: any LogOutput
  ) {
    self.format = format.init()
    description = format.description
    self.system = system
    self.commands = commands
    self.output = output
    self.positions = positions
    collector = LogCollector(source: description.name, selection, output: output)
    if let positions { self.format.recall(positions.totals) }
  }

  /// Reads files, and the files of the format in folders and the folders within.
  public func read(_ paths: [String]) {
    if positions != nil, description.repeatsOthers { checkForNewLogs(paths) }
    for path in paths {
      eachLog(at: path, failed: output.report) { read($0) }
    }
  }

  /// Calls `body` with each log of a path: itself, or those in the folder that it is.
  private func eachLog(
    at path: String, failed: (SystemError) -> Void, do body: (OpenLog) throws(SystemError) -> Void
  ) {
    do throws(SystemError) {
      let log = try OpenLog(path, .input, system)
      defer { system.closeFile(log.file) }
      if log.status.kind != .directory { return try body(log) }
      if !folders.contains(path) { folders.append(path) }
    } catch {
      return failed(error.named(path))
    }
    var walk = FolderWalk(system: system, endings: description.endings)
    walk.visit(path, failed: failed) { path in
      guard format.reads(LogFile(path: path)) else { return }
      do throws(SystemError) {
        let log = try OpenLog(path, .namedFile, system)
        defer { system.closeFile(log.file) }
        try body(log)
      } catch {
        failed(error.named(path))
      }
    }
  }

  /// A new log may repeat others, so that all are read from their start.
  private func checkForNewLogs(_ paths: [String]) {
    var isNew = false
    for path in paths where !isNew {
      let look = { (log: OpenLog) throws(SystemError) in
        if log.status.kind != .regular { return }
        // A database is always read whole.
        if self.isDatabase(log) { isNew = true }
        guard let known = self.positions?[log.status.identity] else {
          isNew = true
          return
        }
        if known.isUnchanged(log.status) { return }
        let head = try LogHead(of: log.file, self.system)
        if known.offset == 0 || !head.continues(known, log.status) { isNew = true }
      }
      eachLog(at: path, failed: { _ in }, do: look)
    }
    if isNew { positions?.keep([]) }
  }

  private func read(_ log: OpenLog) {
    logCount += 1
    if isDatabase(log) { return readDatabase(log) }
    do throws(SystemError) {
      guard positions != nil, log.status.kind == .regular else {
        return try read(LogFile(path: log.path)) { (buffer) throws(SystemError) in
          try system.readNext(log.file, into: buffer)
        }
      }
      try resume(log)
    } catch {
      output.report(error.named(log.path))
    }
  }

  // MARK: Databases

  private func isDatabase(_ log: OpenLog) -> Bool {
    guard description.queries != nil, log.status.kind == .regular else { return false }
    return (try? LogHead(of: log.file, system))?.bytes.withBytes(LogDatabase.begins) ?? false
  }

  private func readDatabase(_ log: OpenLog) {
    let file = LogFile(path: log.path)
    do throws(CreditError) {
      let database = try LogDatabase(log.path, commands: commands)
      let queries = description.queries?(try database.columns()) ?? []
      if queries.isEmpty { return output.report(LogMisfit(file, of: description, likely: nil)) }
      let rows = try database.rows(of: queries.joined(separator: ";"))
      do throws(SystemError) {
        try read(file) { (buffer) throws(SystemError) in try rows.read(into: buffer) }
      } catch {
        return output.report(error.named(log.path))
      }
      if !hasEnded { try database.finish(rows) }
    } catch {
      output.report(error)
    }
  }

  /// Reads the new part of a log.
  private func resume(_ log: OpenLog) throws(SystemError) {
    let known = positions?[log.status.identity]
    met.insert(log.status.identity)
    if let known, known.isUnchanged(log.status) { return }
    let head = try LogHead(of: log.file, system)
    let start = known.flatMap { head.continues($0, log.status) && $0.offset > 0 ? $0 : nil }
    var offset = start?.offset ?? 0
    let text = try read(LogFile(path: log.path), from: start) { (buffer) throws(SystemError) in
      let count = try system.readBytes(log.file, into: buffer, at: offset)
      offset += count
      return count
    }
    let mark = text.end == nil ? nil : format.mark
    reached.append(
      (
        LogPosition(
          identity: log.status.identity, headCount: head.count, headHash: head.hash(of: head.count),
          byteCount: log.status.byteCount, changedNanoseconds: log.status.changedNanoseconds,
          offset: mark == nil ? 0 : text.end?.offset ?? 0,
          line: mark == nil ? 0 : text.end?.line ?? 0, mark: mark ?? [:]),
        collector.origin.text
      ))
  }

  /// Reads one text.
  /// - Parameter fill: reads its next bytes, and returns their number; 0 at its end.
  public func read<Failure: Error>(
    _ file: LogFile, _ fill: (MutableBytes) throws(Failure) -> Int
  ) throws(Failure) {
    _ = try read(file, from: nil, fill)
  }

  /// - Parameter start: the previous position in the text.
  /// - Returns: the text up to the new position.
  private func read<Failure: Error>(
    _ file: LogFile, from start: LogPosition?,
    _ fill: (MutableBytes) throws(Failure) -> Int
  ) throws(Failure) -> LogText {
    format.begin(file)
    if let start { format.resume(start.mark) }
    collector.origin.text += 1
    var text = LogText(format, from: start?.offset ?? 0, line: start?.line ?? 0)
    var isFinal = false
    var beginning = LogBeginning()
    let foundCount = collector.foundCount
    while !isFinal, !hasEnded {
      let count = try text.withFreeSpace { (space) throws(Failure) in
        let count = try fill(space)
        beginning.take(Bytes(rebasing: Bytes(space)[..<count]))
        return count
      }
      isFinal = count == 0
      text.take(isFinal: isFinal) { record, place in take(record, of: file, at: place) }
      if !output.advance(count) { hasEnded = true }
    }
    if start == nil, collector.foundCount == foundCount, !beginning.isBlank,
      !beginning.fits(description)
    {
      output.report(LogMisfit(file, of: description, likely: beginning.likelyKind))
    }
    return text
  }

  private func take(
    _ record: Result<JSONValue, LogProblem>, of file: LogFile, at place: LogText.Place
  ) {
    collector.place = (file, place.line)
    collector.origin.line = place.line - 1
    collector.origin.offset = place.offset
    switch record {
    // Damaged, it may be of any format.
    case .failure(let problem): collector.report(problem)
    case .success(let record) where !record.isObject: collector.report(.notObject)
    case .success(let record):
      collector.attempt { () throws(LogProblem) in
        do throws(LogProblem) {
          try format.read(record, into: collector)
        } catch {
          throw collector.explained(error, in: record)
        }
      }
    }
  }

  /// Prints requests that are only known after all logs.
  /// - Returns: counts of omitted records, by reason.
  public func finish() -> LogTally {
    if logCount == 0 {
      for folder in folders { output.report(LogMisfit(folder: folder, of: description)) }
    }
    format.finish(into: collector)
    collector.finish()
    return collector.tally
  }

  /// How far before its end a log is read again for an incomplete message, in bytes. One that is
  /// further away was abandoned.
  private static let unfinishedLimit = 1 << 20

  /// The most logs that are remembered though a run did not meet them.
  private static let positionLimit = 10_000

  /// The position in each log, also of earlier runs: the first message without its final counts.
  /// Valid when the run has finished.
  public var reachedPositions: LogPositions? {
    guard var positions else { return nil }
    positions.totals = format.totalsOfThreads
    if positions.count > Self.positionLimit { positions.keep(met) }
    var first: [Int: LogOrigin] = [:]
    for origin in collector.unfinished.values {
      if first[origin.text].map({ origin.offset < $0.offset }) ?? true {
        first[origin.text] = origin
      }
    }
    for (position, text) in reached {
      var position = position
      if let origin = first[text], origin.offset < position.offset,
        position.offset - origin.offset <= Self.unfinishedLimit
      {
        position.offset = origin.offset
        position.line = origin.line
      }
      positions[position.identity] = position
    }
    return positions
  }
}

/// A file that is open to be read.
private struct OpenLog {
  let path: String
  let file: Int32
  let status: FileStatus

  init(_ path: String, _ mode: OpenMode, _ system: any SystemCalls) throws(SystemError) {
    self.path = path
    file = try system.openFile(path, mode)
    do throws(SystemError) {
      status = try system.status(of: file)
    } catch {
      system.closeFile(file)
      throw error
    }
  }
}
