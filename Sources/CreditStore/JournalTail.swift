/// Tells the end of a journal that an append was cut short in from one that was damaged.
///
/// The rule. An append adds whole lines, and is acknowledged once they are on disk. Whatever ends it
/// early leaves some of its bytes: a killed process or a full disk leaves the first ones, a power cut
/// also any later ones, with NULs where blocks were lost. So
///
/// - the *torn tail* is everything after the last sound line, if each line in it that has a newline
///   also has a NUL, which no record ever has. What comes after the last newline is torn whatever it
///   is: nothing is acknowledged before its newline is on disk. Sound lines of a cut append stay:
///   each is a whole record;
/// - a line with a newline, without a NUL, and not sound is *damage* wherever it stands, the last
///   line included: an append never leaves one behind;
/// - a line that is not sound but has a sound one after it is damage, NULs or not: the later line may
///   be an acknowledged one that builds on it. Such a line is found when it is read, not at open.
enum JournalTail: Equatable {
  /// The bytes end with a sound line, or there are none.
  case sound

  /// Everything from `offset` on is torn.
  case torn(offset: Int)

  /// The line at `offset` is damaged.
  case damaged(offset: Int)

  /// The last sound line, if any, starts before these bytes.
  case undecided

  /// How much of a journal's end is searched for its last sound line: more than any one append.
  static let searchLimit = 64 << 20

  /// Judges the end of a journal.
  /// - Parameters:
  ///   - bytes: the journal's last bytes; the offsets returned count from their start.
  ///   - isWhole: whether they are the whole journal.
  init(of bytes: UnsafeRawBufferPointer, isWhole: Bool) {
    var end = bytes.count
    if let last = bytes.lastIndex(of: newline, before: end) {
      end = last + 1
    } else {
      end = 0
    }
    // All from `end` on is torn; `end` is the end of a line.
    while end > 0 {
      let previous = bytes.lastIndex(of: newline, before: end - 1)
      guard previous != nil || isWhole else {
        self = .undecided
        return
      }
      let start = previous.map { $0 + 1 } ?? 0
      let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end - 1])
      if JournalLine.isSound(line) { break }
      guard line.contains(0) else {
        self = .damaged(offset: start)
        return
      }
      end = start
    }
    if end == 0 && !isWhole {
      self = .undecided
    } else {
      self = end == bytes.count ? .sound : .torn(offset: end)
    }
  }
}
