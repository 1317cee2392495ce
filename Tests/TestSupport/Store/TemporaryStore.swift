import CreditBytes
import CreditSystem
import Foundation

@testable import CreditStore

/// A store's directory that goes away with its owner.
final class TemporaryStore {
  let directory: StoreDirectory

  init(_ system: any SystemCalls = PosixSystem()) throws {
    let path = NSTemporaryDirectory() + "/credit-store-" + UUID().uuidString
    directory = StoreDirectory(path: path, system: system)
    try StoreDirectory(path: path, system: PosixSystem()).create()
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory.path)
  }

  /// The same directory by way of other system calls.
  func directory(_ system: any SystemCalls) -> StoreDirectory {
    StoreDirectory(path: directory.path, system: system)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: directory.path(of: name))))
  }

  func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: directory.path(of: name)))
  }

  /// A journal of the lines, opened for writing.
  func journal(_ lines: [[UInt8]] = []) throws -> JournalFile {
    try write(lines.joined(), to: JournalFile.name)
    return try openJournal()
  }

  /// Its journal, opened for writing.
  func openJournal(_ system: (any SystemCalls)? = nil) throws -> JournalFile {
    let journal = try JournalFile(in: directory(system ?? directory.system), .update)
    try journal.recover()
    return journal
  }
}

extension LocalStore {
  /// A store in a folder that was named.
  convenience init(
    at path: String, options: StoreOptions = StoreOptions(), system: any SystemCalls = PosixSystem()
  ) {
    self.init(StoreLocation(path: path, isNamed: true), options: options, system: system)
  }
}

/// A sealed line with a member of `padding` bytes; the last of its batch, or a continued one.
func sealedLine(_ number: Int, padding: Int = 0, isContinued: Bool = false) -> [UInt8] {
  var bytes = sealed("{\"n\":\(number),\"p\":\"\(String(repeating: "x", count: padding))\"".utf8)
  if isContinued {
    let name = bytes.count - JournalLine.sealByteCount + 2
    bytes.replaceSubrange(name..<name + 3, with: "and".utf8)
  }
  return bytes
}

/// The line of an object that lacks only its checksum and its closing brace.
func sealed(_ content: some Sequence<UInt8>) -> [UInt8] {
  var line = Array(content) + #","crc":"00000000"}"#.utf8 + [newline]
  line.withMutableBytes { JournalLine.seal($0) }
  return line
}

extension JournalFile {
  func append(_ bytes: [UInt8], sync: Bool = true) throws(StoreFault) {
    try bytes.span.withBytes { (buffer) throws(StoreFault) in
      try append(buffer, sync: sync)
    }
  }

  /// All lines, with their newlines.
  func lines() throws(StoreFault) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    try forEachLine(from: 0, to: length) { (_, line) throws(StoreFault) in
      lines.append(Array(line) + [newline])
    }
    return lines
  }
}
