extension Name {
  /// The alias that covers this name: `gpt-5.4-mini-DATE` for `gpt-5.4-mini-2026-03-17`,
  /// `gpt-5.4-mini-20260317` and `gpt-5.4-mini-latest`; nil if it ends otherwise.
  package var datedAlias: Name? {
    let name = text.utf8
    for length in [10, 8, 6] where name.count > length + 1 {
      let ending = name.suffix(length)
      guard name[name.index(before: ending.startIndex)] == UInt8(ascii: "-"),
        ending.elementsEqual("latest".utf8) || Self.isDay(ending)
      else { continue }
      return Name(trusted: String(decoding: name.dropLast(length), as: UTF8.self) + "DATE")
    }
    return nil
  }

  /// Whether text is a day of the calendar: `2026-03-17` or `20260317`.
  private static func isDay(_ text: Substring.UTF8View) -> Bool {
    var day = String(decoding: text, as: UTF8.self)
    if text.count == 8 {
      day = "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))"
    }
    return Timestamp(text: day + "T00:00:00Z") != nil
  }
}
