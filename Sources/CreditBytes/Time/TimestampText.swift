extension Timestamp {
  /// Number of bytes that `encode(into:)` writes.
  public static let textLength = 24

  /// RFC 3339 text in UTC with milliseconds: `2026-02-19T10:00:00.000Z`.
  public var text: String {
    String(unsafeUninitializedCapacity: Self.textLength) { buffer in
      encode(into: MutableBytes(buffer))
      return Self.textLength
    }
  }

  /// Writes the 24 bytes of `text` to the start of `buffer`, which has room.
  public func encode(into buffer: MutableBytes) {
    var day = TimestampDay(of: self)
    day.encode(self, into: buffer)
  }

  /// Reads RFC 3339 text with any offset: `2026-02-19T12:00:00+02:00`, `…10:00:00.5Z`.
  ///
  /// Digits past milliseconds are dropped; a leap second counts as the second after it.
  /// - Returns: nil if the text is not such a time or lies outside the years 1 to 9999.
  public init?(text: String) {
    guard let parsed = text.withUTF8Bytes({ Self.parse($0) }) else { return nil }
    self = parsed
  }

  /// The same, from UTF-8 bytes.
  public static func parse(_ bytes: Bytes) -> Timestamp? {
    var cursor = DigitCursor(bytes: bytes)
    guard let year = cursor.number(digits: 4), cursor.skip("-"),
      let month = cursor.number(digits: 2), cursor.skip("-"),
      let day = cursor.number(digits: 2), cursor.skip("Tt "),
      let hour = cursor.number(digits: 2), cursor.skip(":"),
      let minute = cursor.number(digits: 2), cursor.skip(":"),
      let second = cursor.number(digits: 2),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let dayNumber = dayNumber(year: year, month: month, day: day)
    // A day past its month's end comes back as another date.
    guard year >= 1, civil(dayNumber: dayNumber).day == day,
      let fraction = cursor.fractionMilliseconds(), let offsetMinutes = cursor.offsetMinutes(),
      cursor.isAtEnd
    else { return nil }
    let inDay = (hour * 60 + minute - offsetMinutes) * 60_000 + second * 1000 + fraction
    let instant = Timestamp(milliseconds: dayNumber * millisecondsPerDay + inDay)
    return instant < earliest || instant > latest ? nil : instant
  }

  /// Reads the end of RFC 3339 text alone: `+02:00`, `Z`.
  /// - Returns: nil for text of any other form.
  static func offsetMinutes(_ text: String) -> Int64? {
    text.withUTF8Bytes { bytes in
      var cursor = DigitCursor(bytes: bytes)
      let minutes = cursor.offsetMinutes()
      return cursor.isAtEnd ? minutes : nil
    }
  }

  /// Returns the time of day, in milliseconds, of 24 bytes of a time. Nil if it is malformed.
  ///
  /// It takes eight bytes of `T10:00:00.000Z` at once: sound digits leave a number below ten, and
  /// the marks zero.
  @inline(__always)
  public static func timeOfDay(_ text: Bytes) -> Int64? {
    guard text.count == textLength, let base = text.baseAddress.map({ $0 + 10 }) else { return nil }
    let clock = ByteWord(base + 1).bits ^ 0x3030_3A30_303A_3030
    let rest = ByteWord(base + 6).bits ^ 0x5A30_3030_2E30_303A
    let tooLarge = (clock &+ 0x7676_7F76_767F_7676) | (rest &+ 0x7F76_7676_7F76_767F)
    guard (tooLarge | clock | rest) & 0x8080_8080_8080_8080 == 0,
      base.load(as: UInt8.self) == UInt8(ascii: "T")
    else { return nil }
    func digit(_ word: UInt64, _ index: UInt64) -> UInt64 { word &>> (8 &* index) & 0xFF }
    let hours = digit(clock, 0) &* 10 &+ digit(clock, 1)
    let minutes = digit(clock, 3) &* 10 &+ digit(clock, 4)
    let seconds = digit(clock, 6) &* 10 &+ digit(clock, 7)
    guard hours < 24, minutes < 60, seconds < 60 else { return nil }
    let milliseconds = (digit(rest, 4) &* 10 &+ digit(rest, 5)) &* 10 &+ digit(rest, 6)
    return Int64(((hours &* 60 &+ minutes) &* 60 &+ seconds) &* 1000 &+ milliseconds)
  }
}

/// The text of one day's date, which begins the times of that day. Consecutive times are mostly
/// close, and the date is the costly part.
public struct TimestampDay {
  private var number: Int64
  /// `2026-02-` and `19T`, the first byte lowest.
  private var yearAndMonth: UInt64
  private var dayOfMonth: UInt32

  public init(of time: Timestamp) {
    number = time.dayNumber
    let (year, month, day) = Timestamp.civil(dayNumber: number)
    yearAndMonth =
      DecimalPair.text(year / 100) | DecimalPair.text(year % 100) << 16
      | DecimalPair.text(month) << 40 | 0x2d00_002d_0000_0000
    dayOfMonth = UInt32(truncatingIfNeeded: DecimalPair.text(day)) | 0x54_0000
  }

  /// A day before all times.
  fileprivate init() { (number, yearAndMonth, dayOfMonth) = (-1_000_000_000, 0, 0) }

  /// Writes a time's 24 bytes to the start of `buffer`, and switches to that time's day. The buffer
  /// must have room.
  @inline(__always)
  public mutating func encode(_ time: Timestamp, into buffer: MutableBytes) {
    precondition(buffer.count >= Timestamp.textLength)
    var inDay = time.milliseconds &- number &* Timestamp.millisecondsPerDay
    if inDay < 0 || inDay >= Timestamp.millisecondsPerDay {
      self = TimestampDay(of: time)
      inDay = time.milliseconds - number * Timestamp.millisecondsPerDay
    }
    let second = UInt32(truncatingIfNeeded: inDay) / 1000
    let fraction = UInt32(truncatingIfNeeded: inDay) % 1000
    let minute = second / 60
    let clock =
      DecimalPair.text(minute / 60) | DecimalPair.text(minute % 60) << 24
      | DecimalPair.text(second % 60) << 48 | 0x3a00_003a_0000
    let rest = 0x302e + UInt64(fraction / 100) << 8 | DecimalPair.text(fraction % 100) << 16
    buffer.storeBytes(of: yearAndMonth.littleEndian, as: UInt64.self)
    buffer.storeBytes(of: dayOfMonth.littleEndian, toByteOffset: 8, as: UInt32.self)
    buffer.storeBytes(of: clock.littleEndian, toByteOffset: 11, as: UInt64.self)
    buffer.storeBytes(
      of: UInt32(truncatingIfNeeded: rest).littleEndian, toByteOffset: 19, as: UInt32.self)
    buffer[23] = UInt8(ascii: "Z")
  }
}

/// Writes the texts of times, and caches them: the next time is mostly among the last few.
public struct TimestampTexts: ~Copyable {
  /// A time and its 24 bytes.
  private struct WrittenTime {
    var time: Timestamp
    var text: (UInt64, UInt64, UInt64)
  }

  /// 2 to the power of ``bits``.
  private static let count = 1 << bits
  static let bits: UInt64 = 4

  private let times = UnsafeMutablePointer<WrittenTime>.allocate(capacity: TimestampTexts.count)
  private var day = TimestampDay()

  public init() {
    // A time before all others: its text is never asked for.
    let none = WrittenTime(time: Timestamp(milliseconds: .min), text: (0, 0, 0))
    times.initialize(repeating: none, count: Self.count)
  }

  deinit {
    times.deallocate()
  }

  @inline(never)
  private static func written(_ time: Timestamp, on day: inout TimestampDay) -> WrittenTime {
    var written = WrittenTime(time: time, text: (0, 0, 0))
    withUnsafeMutableBytes(of: &written.text) { day.encode(time, into: MutableBytes($0)) }
    return written
  }

  /// Writes a time's 24 bytes.
  /// - Parameter pointer: has room for them.
  @inline(__always)
  public mutating func write(_ time: Timestamp, to pointer: UnsafeMutableRawPointer) {
    // Whole seconds, and times a day apart, have the same low bits; the product's high bits differ.
    let product = UInt64(bitPattern: time.milliseconds) &* 0x9E37_79B9_7F4A_7C15
    let known = times + Int(truncatingIfNeeded: product &>> (64 - Self.bits))
    if known.pointee.time != time { known.pointee = Self.written(time, on: &day) }
    let (first, second, third) = known.pointee.text
    pointer.storeBytes(of: first, as: UInt64.self)
    pointer.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
    pointer.storeBytes(of: third, toByteOffset: 16, as: UInt64.self)
  }
}

private enum DecimalPair {
  /// The digits of a number below 100, the first one in the low byte.
  @inline(__always)
  static func text(_ value: some BinaryInteger) -> UInt64 {
    let value = UInt64(truncatingIfNeeded: value)
    return 0x3030 | (value / 10) | (value % 10) << 8
  }
}

/// Reads fixed runs of digits and marks, never past the end.
private struct DigitCursor {
  public let bytes: Bytes
  var position = 0

  var isAtEnd: Bool { position == bytes.count }

  @inline(__always)
  mutating func number(digits: Int) -> Int64? {
    guard bytes.count - position >= digits else { return nil }
    var value: Int64 = 0
    for index in position..<position + digits {
      let digit = Int64(bytes[index]) - 48
      guard (0...9).contains(digit) else { return nil }
      value = value * 10 + digit
    }
    position += digits
    return value
  }

  @inline(__always)
  mutating func skip(_ marks: StaticString) -> Bool {
    let marks = UnsafeBufferPointer(start: marks.utf8Start, count: marks.utf8CodeUnitCount)
    guard position < bytes.count, marks.contains(bytes[position]) else { return false }
    position += 1
    return true
  }

  /// `.5` → 500; nothing → 0; a point without digits → nil.
  mutating func fractionMilliseconds() -> Int64? {
    guard skip(".") else { return 0 }
    var value: Int64 = 0
    var count = 0
    while let digit = number(digits: 1) {
      if count < 3 { value = value * 10 + digit }
      count += 1
    }
    if count == 0 { return nil }
    for _ in min(count, 3)..<3 { value *= 10 }
    return value
  }

  /// `Z` → 0, `+02:00` → 120.
  mutating func offsetMinutes() -> Int64? {
    if skip("Zz") { return 0 }
    let sign: Int64 = position < bytes.count && bytes[position] == UInt8(ascii: "-") ? -1 : 1
    guard skip("+-"), let hours = number(digits: 2), skip(":"),
      let minutes = number(digits: 2), hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 60 + minutes)
  }
}
