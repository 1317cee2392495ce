import CreditStore

/// A process on a simulated machine: its system calls, one of which may be its last or fail.
final class SimulatedProcess: SystemCalls {
  enum Event {
    case kill
    case powerCut
    case fail(code: Int32, isLasting: Bool)
  }

  let machine: SimulatedMachine
  let number: Int

  /// What happens at which of the calls to come.
  private var event: Event?
  private var callsLeft = 0
  private var isFailing = false
  private var failureCode: Int32 = 5

  private(set) var isDead = false
  private(set) var hasFailed = false
  private(set) var callCount = 0

  private struct OpenFile {
    var path: String
    var file: SimulatedFile?
    var position = 0
  }

  private var openFiles: [Int32: OpenFile] = [:]
  private var nextNumber: Int32 = 3
  private var mappings: [(file: SimulatedFile, before: [UInt8])] = []

  init(_ machine: SimulatedMachine, number: Int) {
    self.machine = machine
    self.number = number
  }

  /// Has something happen at a call to come, counted from 1.
  func arm(_ event: Event?, at call: Int = 1) {
    self.event = event
    if event != nil { fate = "undisturbed" }
    callsLeft = call
    isFailing = false
    hasFailed = false
  }

  /// What has come of the event, for a trace.
  private(set) var fate = "undisturbed"

  // MARK: Events

  /// What a call does where the event strikes it.
  private enum Strike {
    case none
    case dies
    case fails(SystemError)
  }

  private func strike(_ call: String) -> Strike {
    if isDead { return .fails(SystemError(call: call, code: 5)) }
    callCount += 1
    machine.passTime()
    if isFailing { return .fails(SystemError(call: call, code: failureCode)) }
    guard let event else { return .none }
    callsLeft -= 1
    guard callsLeft == 0 else { return .none }
    fate = "\(event) at \(call)"
    switch event {
    case .kill, .powerCut: return .dies
    case .fail(let code, let isLasting):
      hasFailed = true
      isFailing = isLasting
      failureCode = code
      return .fails(SystemError(call: call, code: code))
    }
  }

  private func die() {
    isDead = true
    if case .kill = event {
      machine.kill(number, mappings)
    } else {
      machine.cutPower(mappings.map(\.file))
    }
  }

  /// Ends what the process has open.
  func exit() {
    for mapping in mappings { mapping.file.mappings = max(0, mapping.file.mappings - 1) }
    machine.unlock { $0.process == number }
    isDead = true
  }

  /// A call that does all it is asked to, or nothing.
  private func call<Result>(
    _ name: String, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    switch strike(name) {
    case .none:
      let result = try body()
      // Only a process that is about to be killed has to know.
      if case .kill = event { noteMappings() }
      return result
    case .fails(let error): throw error
    case .dies:
      // The last call may have been carried out.
      if machine.random.once(in: 2) { _ = try? body() }
      die()
      throw SystemError(call: name, code: 5)
    }
  }

  private func noteMappings() {
    for index in mappings.indices { mappings[index].before = Array(mappings[index].file.bytes) }
  }

  // MARK: Files

  func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32 {
    try call("open") { () throws(SystemError) in
      var file: SimulatedFile?
      switch (machine.names[path], mode) {
      case (.directory, .directory): break
      case (.file(let found), .read), (.file(let found), .update), (.file(let found), .input),
        (.file(let found), .updateOrCreate):
        file = found
      case (.file, .create): throw SystemError(call: "open", code: 17, name: path)
      case (.file, .directory): throw SystemError(call: "open", code: 20, name: path)
      case (.directory, _): throw SystemError(call: "open", code: 21, name: path)
      case (nil, .create), (nil, .updateOrCreate):
        guard case .directory = machine.names[parentPath(path)] else {
          throw SystemError(call: "open", code: 2, name: path)
        }
        file = machine.makeFile(path)
      case (nil, _): throw SystemError(call: "open", code: 2, name: path)
      }
      nextNumber += 1
      openFiles[nextNumber] = OpenFile(path: path, file: file)
      return nextNumber
    }
  }

  func closeFile(_ file: Int32) {
    if isDead { return }
    machine.unlock { $0 == .init(process: number, file: file) }
    openFiles[file] = nil
  }

  private func file(_ number: Int32) throws(SystemError) -> SimulatedFile {
    guard let file = openFiles[number]?.file else { throw SystemError(call: "file", code: 9) }
    return file
  }

  func readBytes(
    _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try call("read") { () throws(SystemError) in
      // Now and then a read gives less than it could.
      let size = machine.random.once(in: 20) ? (buffer.count + 1) / 2 : buffer.count
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
      return try self.file(file).read(into: part, at: offset)
    }
  }

  func readNext(
    _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    let position = openFiles[file]?.position ?? 0
    let count = try readBytes(file, into: buffer, at: position)
    openFiles[file]?.position += count
    return count
  }

  func writeBytes(
    _ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    if bytes.isEmpty { return 0 }
    let some = UnsafeRawBufferPointer(
      rebasing: bytes[..<machine.random.number(below: bytes.count + 1)])
    switch strike("write") {
    case .fails(let error): throw error
    case .dies:
      // Killed in the middle of it.
      try self.file(file).write(some, at: offset)
      die()
      throw SystemError(call: "write", code: 5)
    case .none:
      let target = try self.file(file)
      let part = machine.random.once(in: 10) && !some.isEmpty ? some : bytes
      target.write(part, at: offset)
      target.changed = machine.changeTime()
      return part.count
    }
  }

  func syncData(_ file: Int32) throws(SystemError) { try syncFile(file) }

  func syncFile(_ file: Int32) throws(SystemError) {
    do {
      try call("sync") { () throws(SystemError) in
        guard let open = openFiles[file] else { throw SystemError(call: "sync", code: 9) }
        if let file = open.file { file.sync() } else { machine.syncNames(in: open.path) }
      }
    } catch {
      if !isDead, let file = openFiles[file]?.file { file.failSync(&machine.random) }
      throw error
    }
  }

  func setLength(_ file: Int32, _ byteCount: Int) throws(SystemError) {
    try call("truncate") { () throws(SystemError) in
      try self.file(file).setLength(byteCount)
    }
  }

  func allocate(_ file: Int32, _ byteCount: Int) throws(SystemError) {
    try call("allocate") { () throws(SystemError) in
      let file = try self.file(file)
      if file.count < byteCount { file.setLength(byteCount) }
    }
  }

  // MARK: Mappings

  func map(
    _ file: Int32, _ byteCount: Int, writable: Bool
  ) throws(SystemError) -> UnsafeMutableRawBufferPointer {
    try call("map") { () throws(SystemError) in
      let file = try self.file(file)
      file.mappings += 1
      mappings.append((file, []))
      return UnsafeMutableRawBufferPointer(rebasing: file.memory[..<byteCount])
    }
  }

  func syncMapping(_ memory: UnsafeMutableRawBufferPointer) throws(SystemError) {
    try call("sync") {
      mappings.first { $0.file.memory.baseAddress == memory.baseAddress }?.file.sync()
    }
  }

  func unmap(_ memory: UnsafeMutableRawBufferPointer) {
    if isDead { return }
    mappings.removeAll { mapping in
      guard mapping.file.memory.baseAddress == memory.baseAddress else { return false }
      mapping.file.mappings -= 1
      return true
    }
  }

  // MARK: Locks and names

  func lock(
    _ file: Int32, _ mode: LockMode, waitMilliseconds: Int
  ) throws(SystemError) -> Bool {
    try call("lock") { () throws(SystemError) in
      machine.lock(
        try self.file(file).inode, .init(process: number, file: file), mode)
    }
  }

  func unlock(_ file: Int32) {
    if isDead { return }
    if case .dies = strike("unlock") { return die() }
    machine.unlock { $0 == .init(process: number, file: file) }
  }

  func status(of file: Int32) throws(SystemError) -> FileStatus {
    try call("stat") { () throws(SystemError) in
      guard let open = openFiles[file] else { throw SystemError(call: "stat", code: 9) }
      return status(open.file)
    }
  }

  func status(at path: String) throws(SystemError) -> FileStatus? {
    try call("stat") {
      switch machine.names[path] {
      case .file(let file): status(file)
      case .directory: status(nil)
      case nil: nil
      }
    }
  }

  private func status(_ file: SimulatedFile?) -> FileStatus {
    guard let file else {
      return FileStatus(
        kind: .directory, identity: .init(device: 1, inode: 0), byteCount: 0)
    }
    return FileStatus(
      kind: .regular, identity: .init(device: 1, inode: file.inode), byteCount: file.count,
      changedNanoseconds: file.changed)
  }

  func renameFile(_ path: String, to newPath: String) throws(SystemError) {
    try call("rename") { () throws(SystemError) in
      guard machine.names[path] != nil else {
        throw SystemError(call: "rename", code: 2, name: path)
      }
      machine.rename(path, to: newPath)
    }
  }

  func removeFile(_ path: String) throws(SystemError) {
    try call("remove") { () throws(SystemError) in
      guard machine.names[path] != nil else {
        throw SystemError(call: "remove", code: 2, name: path)
      }
      machine.remove(path)
    }
  }

  func makeDirectory(_ path: String) throws(SystemError) {
    try call("mkdir") { () throws(SystemError) in
      if machine.names[path] != nil { throw SystemError(call: "mkdir", code: 17, name: path) }
      guard machine.names[parentPath(path)] != nil else {
        throw SystemError(call: "mkdir", code: 2, name: path)
      }
      machine.makeDirectory(path)
    }
  }

  func names(in path: String) throws(SystemError) -> [String] {
    try call("read") {
      machine.names.keys.filter { $0 != "/" && parentPath($0) == path }.map {
        String($0.dropFirst(path.count + 1))
      }
    }
  }

  // MARK: The rest

  func networkFileSystem(of file: Int32) throws(SystemError) -> String? { nil }

  func bootID() -> BootID? { BootID(high: 1, low: machine.boot) }

  func randomWord() -> UInt64 { machine.random.next() }

  func currentMilliseconds() -> Int64 { machine.milliseconds }
}
