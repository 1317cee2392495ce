/// The values of a response's text, whatever it is written as.
struct ResponseText: ~Copyable {
  /// The events whose data the values are. Nil if they are not server-sent events.
  let events: EventStream?
  /// The reason why no more values come, if that is not the end.
  private(set) var failure: JSONError?
  private var stream = JSONStream()
  /// The start of the last line, if no end of line follows it. Otherwise the end of the text.
  private let openLineStart: Int
  private let count: Int

  /// A text as it was sent.
  init(_ input: UnsafeRawBufferPointer) {
    var events: EventStream?
    _ = stream.withFreeSpace(minimum: input.count) { space in
      space.copyMemory(from: input)
      events = EventStream(blanking: UnsafeMutableRawBufferPointer(rebasing: space[..<input.count]))
      return input.count
    }
    stream.finish()
    self.events = events
    openLineStart = Self.openLineStart(of: input)
    count = input.count
  }

  /// The elements of an array that was cut off, each for itself; nil otherwise.
  init?(elementsOf input: UnsafeRawBufferPointer) {
    var isArray = false
    _ = stream.withFreeSpace(minimum: input.count) { space in
      space.copyMemory(from: input)
      isArray = ChunkArray.open(UnsafeMutableRawBufferPointer(rebasing: space[..<input.count]))
      return input.count
    }
    guard isArray else { return nil }
    stream.finish()
    events = nil
    openLineStart = 0
    count = input.count
  }

  /// The next value, and where it begins; nil at the end of the text, or of what can be read of it.
  mutating func next() -> (value: JSONValue, line: Int, offset: Int)? {
    switch stream.next() {
    case .value(let value, let line, let offset): return (value, line, offset)
    case .malformed(let error):
      failure = error
      return nil
    case .needsMore, .end, .word: return nil
    }
  }

  /// The first member name found to appear twice in one object, anywhere in the value taken last.
  var duplicateName: String? { stream.duplicateName }

  /// Whether what can't be read is what was on its way when the text was cut off. An event whose
  /// line is all there is malformed.
  var isCutOff: Bool {
    guard let failure else { return false }
    return failure.offset >= openLineStart && (events == nil || openLineStart < count)
  }

  private static func openLineStart(of input: UnsafeRawBufferPointer) -> Int {
    let lineEnd = input.lastIndex { $0 == .lineFeed || $0 == UInt8(ascii: "\r") }
    return lineEnd.map { $0 + 1 } ?? 0
  }
}
