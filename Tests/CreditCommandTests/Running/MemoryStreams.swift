import CreditBytes

@testable import CreditSystem

/// Standard streams in memory: the input comes in parts, as from a pipe, and the output is kept.
final class MemoryStreams: Streams {
  var inputKind = InputKind.data
  var outputIsTerminal = false
  var outputIsKept = false
  var outputColumns: Int?
  var errorIsTerminal = false
  /// The parts of the input that have not been read.
  var parts: [String]
  /// How many writes to standard output succeed before its reader is gone.
  var writesLeft = Int.max
  /// The code of the error of the others: EPIPE.
  var writeError: Int32 = 32
  /// How often the output is found to be still read.
  var waitsLeft = 0

  private(set) var output = ""
  private(set) var writeCount = 0
  private(set) var errors = ""
  /// The output at the time of each read of the input.
  private(set) var outputAtReads: [String] = []

  init(_ parts: [String]) {
    self.parts = parts
  }

  func read(into buffer: MutableBytes) throws(SystemError) -> Int {
    outputAtReads.append(output)
    guard let part = parts.first else { return 0 }
    let bytes = Array(part.utf8.prefix(buffer.count))
    buffer.copyBytes(from: bytes)
    parts[0] = String(decoding: part.utf8.dropFirst(bytes.count), as: UTF8.self)
    if parts[0].isEmpty { parts.removeFirst() }
    return bytes.count
  }

  /// Whether the next part of the input can be read without waiting.
  var hasInput = false

  func write(_ bytes: Bytes) throws(SystemError) {
    guard writesLeft > 0 else {
      throw SystemError(call: "write", code: writeError, name: "standard output")
    }
    writesLeft -= 1
    writeCount += 1
    output += String(decoding: bytes, as: UTF8.self)
  }

  func waitWhileRead(milliseconds: Int) -> Bool {
    waitsLeft -= 1
    return waitsLeft >= 0
  }

  func complain(_ bytes: Bytes) {
    errors += String(decoding: bytes, as: UTF8.self)
  }
}
