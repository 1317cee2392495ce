import CreditBytes

@testable import CreditSystem

/// The calls of a process, each carried out on the machine unless the process's event strikes it.
extension SimulatedProcess: SystemCalls {
  // MARK: Files

  func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32 {
    try call("open") { () throws(SystemError) in
      var file: SimulatedFile?
      switch (machine.names[path], mode) {
      case (.directory, .directory): break
      case (.file(let found), .read), (.file(let found), .update), (.file(let found), .input),
        (.file(let found), .namedFile), (.file(let found), .updateOrCreate):
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
      return self.open(path, file)
    }
  }

  func closeFile(_ file: Int32) {
    if isDead { return }
    machine.unlock { $0 == .init(process: number, file: file) }
    close(file)
  }

  func readBytes(
    _ file: Int32, into buffer: MutableBytes, at offset: Int
  ) throws(SystemError) -> Int {
    try call("read") { () throws(SystemError) in
      // Now and then a read gives less than it could.
      let size = machine.random.once(in: 20) ? (buffer.count + 1) / 2 : buffer.count
      let part = MutableBytes(rebasing: buffer[..<size])
      return try self.file(file).read(into: part, at: offset)
    }
  }

  func readNext(
    _ file: Int32, into buffer: MutableBytes
  ) throws(SystemError) -> Int {
    let position = try openFile(file, "read").position
    let count = try readBytes(file, into: buffer, at: position)
    advance(file, by: count)
    return count
  }

  func writeBytes(
    _ file: Int32, _ bytes: Bytes, at offset: Int
  ) throws(SystemError) -> Int {
    if bytes.isEmpty { return 0 }
    var someCount = machine.random.number(below: bytes.count + 1)
    // Bytes overwritten within one sector are written as one.
    if let count = try? self.file(file).count, offset + bytes.count <= count,
      offset / 512 == (offset + bytes.count - 1) / 512
    {
      someCount = someCount * 2 > bytes.count ? bytes.count : 0
    }
    let some = Bytes(rebasing: bytes[..<someCount])
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
      machine.write(part, to: target, at: offset)
      noteMappings()
      return part.count
    }
  }

  func syncData(_ file: Int32) throws(SystemError) { try syncFile(file) }

  func syncFile(_ file: Int32) throws(SystemError) {
    do {
      try call("sync") { () throws(SystemError) in
        let open = try openFile(file, "sync")
        if let file = open.file { machine.sync(file) } else { machine.syncNames(in: open.path) }
      }
    } catch {
      if !isDead, let file = try? self.file(file) { file.failSync(&machine.random) }
      machine.hasFailedSync = true
      if isDead || machine.sabotage != .failedSyncsPass { throw error }
    }
  }

  func setLength(_ file: Int32, _ byteCount: Int) throws(SystemError) {
    try call("truncate") { () throws(SystemError) in
      machine.setLength(try self.file(file), byteCount)
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
  ) throws(SystemError) -> MutableBytes {
    try call("map") { () throws(SystemError) in
      let file = try self.file(file)
      noteMapping(of: file)
      return file.map(byteCount, writable: writable)
    }
  }

  func syncMapping(_ memory: MutableBytes) throws(SystemError) {
    try call("sync") {
      if let file = mappedFile(at: memory.baseAddress) { machine.sync(file) }
    }
  }

  func beginSync(_ file: Int32, from offset: Int, byteCount: Int) {}

  func prepareToWrite(_ file: Int32, _ memory: MutableBytes) {}

  func unmap(_ memory: MutableBytes) {
    if isDead { return }
    forgetMapping(at: memory.baseAddress)
  }

  // MARK: Locks and names

  func lock(
    _ file: Int32, _ mode: LockMode, waitMilliseconds: Int
  ) throws(SystemError) -> Bool {
    try call("lock") { () throws(SystemError) in
      let inode = try self.file(file).inode
      guard machine.lock(inode, .init(process: number, file: file), mode) else { return false }
      if machine.sabotage == .indexLies { machine.dropIndexEntry() }
      return true
    }
  }

  func unlock(_ file: Int32) {
    if isDead { return }
    if case .dies = strike("unlock") { return die() }
    machine.unlock { $0 == .init(process: number, file: file) }
  }

  /// All files are one user's.
  func setOwner(_ file: Int32, user: UInt32?, group: UInt32) throws(SystemError) {}
  func setMode(_ file: Int32, _ mode: UInt32) throws(SystemError) {}

  func status(of file: Int32) throws(SystemError) -> FileStatus {
    try call("stat") { () throws(SystemError) in
      status(try openFile(file, "stat").file)
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

  func bootID() -> BootID? {
    BootID(high: 1, low: machine.sabotage == .startsLookAlike ? 1 : machine.boot)
  }

  func randomWord() -> UInt64 { machine.random.next() }

  func currentMicroseconds() -> Int64 { machine.milliseconds * 1000 }
}
