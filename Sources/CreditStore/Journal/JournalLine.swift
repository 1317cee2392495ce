internal import CreditModel

/// The form of a journal line: one JSON object whose last member is the checksum of the line's
/// bytes before it, `…,"crc":"xxxxxxxx"}` (CRC-32C, lowercase hexadecimal), ended by a newline.
///
/// The lines of one append are a batch, which counts as a whole or not at all. In all of them but
/// the last the member's name is `and`: a journal whose last line says `and` was cut short.
package enum JournalLine {
  /// The most bytes that a line may have, its newline included.
  package static let limit = 1 << 20

  /// The bytes that ``JSONWriter/endRecord()`` adds: checksum, brace and newline.
  package static let sealByteCount = 19

  /// What the checksum of a batch's last line is called, and of one that others follow. No byte of
  /// one stands in the other, so that no changed byte makes one of them the other.
  static let lastName: StaticString = "crc"
  static let continuedName: StaticString = "and"

  private static let member = Array(",\"crc\":\"".utf8)
  private static let continuedMember = Array(",\"and\":\"".utf8)

  /// Puts the checksums of whole lines that were ended by ``JSONWriter/endRecord()`` in their
  /// places.
  static func seal(_ lines: UnsafeMutableRawBufferPointer) {
    var start = 0
    while let end = UnsafeRawBufferPointer(rebasing: lines[start...]).firstNewline() {
      let line = UnsafeMutableRawBufferPointer(rebasing: lines[start...(start + end)])
      let content = line.count - sealByteCount
      let checksum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: line[..<content]))
      line.storeBytes(
        of: Hexadecimal.digits(checksum).bigEndian, toByteOffset: content + member.count,
        as: UInt64.self)
      start += line.count
      if start == lines.count { return }
    }
  }

  /// Whether the line, given without its newline, is one that was written whole.
  package static func isSound(_ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count < limit, let written = writtenChecksum(line) else { return false }
    let content = line.count - sealByteCount + 1
    return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: line[..<content])) == written
  }

  /// The checksum that a line, given without its newline, says it has; nil where it says none.
  static func writtenChecksum(_ line: UnsafeRawBufferPointer) -> UInt32? {
    let start = line.count - sealByteCount + 1
    guard start > 0, line[line.count - 2] == UInt8(ascii: "\""),
      line[line.count - 1] == UInt8(ascii: "}")
    else { return nil }
    let name = isContinued(line) ? continuedMember : member
    for (index, byte) in name.enumerated() where line[start + index] != byte { return nil }
    var checksum: UInt32 = 0
    for index in start + member.count..<line.count - 2 {
      guard let digit = lowercaseDigit(line[index]) else { return nil }
      checksum = checksum << 4 | digit
    }
    return checksum
  }

  /// Whether bytes at the journal's end are a sound line with another byte in place of its newline.
  static func isUnended(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let last = bytes.last, last != 0 else { return false }
    return isSound(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 1)]))
  }

  /// Whether another line of the same batch follows a sound line.
  static func isContinued(_ line: UnsafeRawBufferPointer) -> Bool {
    line[line.count - sealByteCount + 3] == UInt8(ascii: "a")
  }

  /// One form alone is sound: a digit in upper case is a changed byte like any other.
  @inline(__always)
  private static func lowercaseDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case 48...57: UInt32(byte - 48)
    case 97...102: UInt32(byte - 87)
    default: nil
    }
  }
}

/// What ends a line of the journal; JSON text holds none otherwise.
let newline = UInt8(ascii: "\n")

extension UnsafeRawBufferPointer {
  /// The place of the last byte of a value before `end`; nil where there is none.
  func lastIndex(of value: UInt8, before end: Int) -> Int? {
    var index = end
    while index > 0 {
      index -= 1
      if self[index] == value { return index }
    }
    return nil
  }
}
