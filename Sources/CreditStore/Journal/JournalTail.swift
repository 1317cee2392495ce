/// Tells a torn append at the end of a journal from damage.
///
/// An append adds a batch of whole lines, and is acknowledged once they are on disk. Whatever ends
/// it early leaves some of its bytes. A killed process or a full disk leaves the first ones. A
/// power cut leaves any of them, with NULs in the place of lost blocks. A batch counts as a whole
/// or not at all, so that no request is half done. The next batch is appended only after a torn one
/// was cut off. So a torn batch is the last thing in the journal, and the rule is:
///
/// - The *torn tail* is everything after the last line that ends a batch, if each line in it that
///   has a newline is sound or has lost a block. What comes after the last newline is torn whatever
///   it is: nothing is acknowledged before its newline is on disk.
/// - A line with a newline that is not sound and has not lost a block is *damage*, also as the last
///   line: an append never leaves one behind. So is a sound line with another byte in the place of
///   its newline.
/// - An unsound line that shows the end of a batch, and that anything follows, is damage: the batch
///   behind it began after this one was acknowledged. So is one whose beginning shows that end, and
///   that goes on behind the place of its newline: it is two lines whose newline is lost.
/// - An unsound line before the end of the last batch is damage, unless that batch itself is
///   incomplete (see ``JournalFile/refreshLastBatch()``). Such a line is found when it is read, not
///   when the journal is opened.
///
/// What the index knows to have been acknowledged is never torn (see ``StoreFault/shortened(_:)``).
enum JournalTail: Equatable {
  /// The bytes end with a batch, whose last line starts at an offset, or there are none.
  case sound(lastLine: Int?)

  /// Everything from `offset` on is torn; before it comes a batch, whose last line starts at
  /// `lastLine`, or nothing.
  case torn(offset: Int, lastLine: Int?)

  /// The line at `offset` is damaged.
  case damaged(offset: Int)

  /// The last batch, if any, ends before these bytes.
  case undecided

  /// How much of a journal's end is searched for the end of its last batch.
  static let searchLimit = 64 << 20

  /// The most bytes of one append: the line before it is found, too.
  static let batchLimit = searchLimit - 2 * JournalLine.limit

  /// Disks keep or lose this many bytes at once, or a multiple.
  private static let sectorByteCount = 512

  /// Judges the end of a journal.
  /// - Parameters:
  ///   - bytes: the journal's last bytes; the offsets returned count from their start.
  ///   - start: where in the journal they start; at 0 they are all of it.
  init(of bytes: UnsafeRawBufferPointer, at start: Int) {
    var end = bytes.lastIndex(of: newline, before: bytes.count).map { $0 + 1 } ?? 0
    if end < bytes.count, end > 0 || start == 0 {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[end...])
      if JournalLine.isUnended(rest) {
        self = .damaged(offset: end)
        return
      }
    }
    var lastLine: Int?
    // All from `end` on is torn; `end` is the end of a line.
    while end > 0 {
      let previous = bytes.lastIndex(of: newline, before: end - 1)
      guard previous != nil || start == 0 else {
        self = .undecided
        return
      }
      let first = previous.map { $0 + 1 } ?? 0
      let line = UnsafeRawBufferPointer(rebasing: bytes[first..<end - 1])
      if JournalLine.isSound(line) {
        if !JournalLine.isContinued(line) {
          lastLine = first
          break
        }
      } else {
        let isFollowed = end < bytes.count
        guard Self.hasLostBlock(line, at: start + first),
          !(isFollowed && JournalLine.showsEndOfBatch(line)),
          !JournalLine.goesOnBehindEndOfBatch(line)
        else {
          self = .damaged(offset: first)
          return
        }
      }
      end = first
    }
    if end == 0 && start > 0 {
      self = .undecided
    } else {
      self =
        end == bytes.count
        ? .sound(lastLine: lastLine) : .torn(offset: end, lastLine: lastLine)
    }
  }

  /// Whether NULs, which no record has, reach to the end of a sector somewhere in a line.
  /// - Parameter start: where in the journal the line starts.
  private static func hasLostBlock(_ line: UnsafeRawBufferPointer, at start: Int) -> Bool {
    for (index, byte) in line.enumerated() where byte == 0 {
      if (start + index + 1) % sectorByteCount == 0 { return true }
    }
    return false
  }
}
