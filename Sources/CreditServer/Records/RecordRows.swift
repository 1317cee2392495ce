internal import CreditJSON
internal import CreditModel

/// Reads records out of rows.
struct RecordRows: ~Copyable {
  private var reader = RecordReader()

  init() {}

  /// The record whose position and text are in two columns of a row.
  /// - Throws: `corrupt_store` for a text that is no record of this version.
  mutating func record(_ rows: any ServerRows, _ row: Int, position: Int, body: Int)
    throws(CreditError) -> StoredRecord
  {
    let place = RecordPosition(rows.int(row, position) ?? -1)
    guard 0..<Self.positionLimit ~= place.value else { throw Self.corrupt(at: place) }
    let stored = rows.withText(row, body) { text in
      text.flatMap { reader.readStored($0, at: place) }
    }
    guard let stored else { throw Self.corrupt(at: place) }
    return stored
  }

  /// No position or number is as large: microseconds in thousandths come there in the year 2255.
  static let positionLimit: Int64 = 9_000_000_000_000_000_000

  static func corrupt(at position: RecordPosition) -> CreditError {
    CreditError(
      .corruptStore, "the record at position \(position.value) is none that this tool has written")
  }

  /// All of the rows, whose first two columns are position and text.
  mutating func records(_ rows: any ServerRows) throws(CreditError) -> [StoredRecord] {
    var records: [StoredRecord] = []
    records.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      records.append(try record(rows, row, position: 0, body: 1))
    }
    return records
  }
}
