internal import CreditJSON

/// Lines of a long batch that the journal writes while more of it is being made. They are written
/// where they were made: nothing is copied, and the memory is kept for later lines.
final class JournalPiece {
  /// The lines. The journal's alone from ``JournalFile/writeAhead(_:sync:)`` until it has waited,
  /// or ``JournalFile/isWritingAhead`` no longer.
  var text: JSONWriter

  /// How many bytes of the batch come before.
  var start = 0

  /// How many bytes are enough for a piece.
  static let byteCount = 1 << 18

  /// Has room for a long record beyond that.
  init() {
    text = JSONWriter(capacity: Self.byteCount + 1 << 16)
  }
}
