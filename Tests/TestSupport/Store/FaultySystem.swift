import CreditBytes
import Testing

@testable import CreditSystem

/// The machine's system calls, one of which fails, and which may do less than they were asked to.
final class FaultySystem: SystemCalls {
  private let system = PosixSystem()

  /// Which call fails, counted from 1; from there on all do if `isLasting`.
  var failing: Int?
  var isLasting = false
  var code: Int32 = 5  // EIO

  /// The most bytes that one read or write handles.
  var transferLimit = Int.max

  /// How many milliseconds the clock is ahead of the machine's.
  var clockAdvance: Int64 = 0

  /// How many milliseconds pass while a lock is waited for.
  var lockMilliseconds: Int64 = 0

  /// Outcome of a lock by the time that it may be waited for; nil for the machine's.
  var lockOutcome: (_ waitMilliseconds: Int) throws -> Bool? = { _ in nil }

  /// The result of `bootID`.
  var boot: BootID?

  /// Whether it tells anything.
  var tellsBoot = true

  /// The names of files that this process may not open.
  var forbiddenNames: Set<String> = []

  /// Called before each read with its offset and byte count.
  var beforeRead: (_ offset: Int, _ count: Int) -> Void = { _, _ in }

  /// The group of every directory; nil for the one it has.
  var folderGroup: UInt32?

  /// Whether this process may give files away.
  var mayChangeOwners = true

  /// Another process's action just before a call.
  var intrusion: (call: Int, body: () throws -> Void)?

  private(set) var callCount = 0
  private(set) var failedCall: String?
  private(set) var openFiles: Set<Int32> = []

  private func count(_ call: String) throws(SystemError) {
    callCount += 1
    if let intrusion, callCount == intrusion.call {
      do { try intrusion.body() } catch { Issue.record("the intrusion failed: \(error)") }
    }
    guard let failing, callCount == failing || isLasting && callCount > failing else { return }
    failedCall = call
    throw SystemError(call: call, code: code)
  }

  func openFile(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32 {
    try count("open")
    if forbiddenNames.contains(where: { path.hasSuffix("/" + $0) }) {
      throw SystemError(call: "open", code: 13, name: path)
    }
    let file = try system.openFile(path, mode)
    openFiles.insert(file)
    return file
  }

  func closeFile(_ file: Int32) {
    openFiles.remove(file)
    system.closeFile(file)
  }

  func readBytes(
    _ file: Int32, into buffer: MutableBytes, at offset: Int
  ) throws(SystemError) -> Int {
    try count("read")
    beforeRead(offset, buffer.count)
    let part = MutableBytes(rebasing: buffer[..<min(buffer.count, transferLimit)])
    return try system.readBytes(file, into: part, at: offset)
  }

  func readNext(
    _ file: Int32, into buffer: MutableBytes
  ) throws(SystemError) -> Int {
    try count("read")
    return try system.readNext(file, into: buffer)
  }

  func writeBytes(
    _ file: Int32, _ bytes: Bytes, at offset: Int
  ) throws(SystemError) -> Int {
    try count("write")
    let part = Bytes(rebasing: bytes[..<min(bytes.count, transferLimit)])
    return try system.writeBytes(file, part, at: offset)
  }

  func syncData(_ file: Int32) throws(SystemError) { try count("sync") }

  func syncFile(_ file: Int32) throws(SystemError) { try count("sync") }

  func setLength(_ file: Int32, _ byteCount: Int) throws(SystemError) {
    try count("truncate")
    try system.setLength(file, byteCount)
  }

  func allocate(_ file: Int32, _ byteCount: Int) throws(SystemError) {
    try count("allocate")
    try system.allocate(file, byteCount)
  }

  func map(
    _ file: Int32, _ byteCount: Int, writable: Bool
  ) throws(SystemError) -> MutableBytes {
    try count("map")
    return try system.map(file, byteCount, writable: writable)
  }

  func syncMapping(_ memory: MutableBytes) throws(SystemError) {
    try count("sync")
  }

  func beginSync(_ file: Int32, from offset: Int, byteCount: Int) {
    system.beginSync(file, from: offset, byteCount: byteCount)
  }

  func prepareToWrite(_ file: Int32, _ memory: MutableBytes) {
    system.prepareToWrite(file, memory)
  }

  func unmap(_ memory: MutableBytes) { system.unmap(memory) }

  func lock(
    _ file: Int32, _ mode: LockMode, waitMilliseconds: Int
  ) throws(SystemError) -> Bool {
    try count("lock")
    clockAdvance += lockMilliseconds
    do {
      if let outcome = try lockOutcome(waitMilliseconds) { return outcome }
    } catch {
      Issue.record("\(error)")
    }
    return try system.lock(file, mode, waitMilliseconds: waitMilliseconds)
  }

  func unlock(_ file: Int32) { system.unlock(file) }

  func setOwner(_ file: Int32, user: UInt32?, group: UInt32) throws(SystemError) {
    try count("chown")
    if !mayChangeOwners { throw SystemError(call: "chown", code: 1) }
    try system.setOwner(file, user: user, group: group)
  }

  func setMode(_ file: Int32, _ mode: UInt32) throws(SystemError) {
    try count("chmod")
    try system.setMode(file, mode)
  }

  func status(of file: Int32) throws(SystemError) -> FileStatus {
    try count("stat")
    let status = try system.status(of: file)
    guard let folderGroup, status.kind == .directory else { return status }
    var access = status.access
    access.group = folderGroup
    return FileStatus(
      kind: status.kind, identity: status.identity, byteCount: status.byteCount, access: access)
  }

  func status(at path: String) throws(SystemError) -> FileStatus? {
    try count("stat")
    return try system.status(at: path)
  }

  func renameFile(_ path: String, to newPath: String) throws(SystemError) {
    try count("rename")
    try system.renameFile(path, to: newPath)
  }

  func removeFile(_ path: String) throws(SystemError) {
    try count("remove")
    try system.removeFile(path)
  }

  func makeDirectory(_ path: String) throws(SystemError) {
    try count("mkdir")
    try system.makeDirectory(path)
  }

  func names(in path: String) throws(SystemError) -> [String] {
    try count("read")
    return try system.names(in: path)
  }

  func networkFileSystem(of file: Int32) throws(SystemError) -> String? { nil }

  func bootID() -> BootID? { tellsBoot ? boot ?? system.bootID() : nil }

  func randomWord() -> UInt64 { system.randomWord() }

  func currentMicroseconds() -> Int64 { system.currentMicroseconds() + clockAdvance * 1000 }
}
