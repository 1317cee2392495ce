internal import CreditJSON
internal import CreditModel

/// The journal's first line: what the file is, in which version, and since when.
enum JournalHeader {
  static let version: Int64 = 1

  /// The sealed line.
  static func line(at time: Timestamp) -> JSONWriter {
    var line = JSONWriter(capacity: 256)
    line.beginObject()
    line.key("store")
    line.string("credit")
    line.key("version")
    line.integer(version)
    line.key("createdAt")
    line.timestamp(time)
    line.seal(from: 0)
    return line
  }

  static func isHeader(_ value: JSONValue) -> Bool {
    value.string("store") == "credit" && value.int64("version") == version
  }
}

extension JSONWriter {
  /// Ends the line that starts at `start` and whose object is still open: adds its checksum.
  /// - Parameter isContinued: whether others of the same batch follow.
  mutating func seal(from start: Int, isContinued: Bool = false) {
    endRecord()
    if isContinued {
      withMutableBytes(from: start) { JournalLine.seal($0) }
    } else {
      endBatch(sealingFrom: start)
    }
  }

  /// Ends a line whose object is still open and that others of the same batch may follow. The place
  /// of its checksum stays empty until ``JournalLine/seal(_:)``.
  mutating func endRecord() {
    key(JournalLine.continuedName)
    hexadecimal(0)
    endObject()
    endLine()
  }

  /// Makes the line that was written last the end of its batch, and seals all lines from an offset on.
  mutating func endBatch(sealingFrom start: Int) {
    overwrite(JournalLine.lastName, at: count - JournalLine.sealByteCount + 2)
    withMutableBytes(from: start) { JournalLine.seal($0) }
  }
}
