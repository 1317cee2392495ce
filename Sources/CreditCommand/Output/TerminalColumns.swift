internal import CreditSystem

extension String {
  /// Number of a terminal's columns for the text, which must have no control characters.
  var terminalColumns: Int { unicodeScalars.reduce(0) { $0 + $1.terminalColumns } }

  /// Shortens the text to at most `width` columns of a terminal, with an ellipsis.
  /// - Parameter keepsEnd: true to leave out the beginning instead of the end.
  func shortened(to width: Int, keepsEnd: Bool = false) -> String {
    if terminalColumns <= width { return self }
    var rest = width - 1
    func fits(_ scalar: Unicode.Scalar) -> Bool {
      rest -= scalar.terminalColumns
      return rest >= 0
    }
    var kept = String.UnicodeScalarView()
    if keepsEnd {
      let end = unicodeScalars.reversed().prefix(while: fits)
      // A mark without the character it is set upon would be set upon the ellipsis.
      kept.append(contentsOf: end.reversed().drop { $0.terminalColumns == 0 })
      return "…" + String(kept)
    }
    kept.append(contentsOf: unicodeScalars.prefix(while: fits))
    return String(kept) + "…"
  }
}

extension Unicode.Scalar {
  /// Columns of a character in a terminal: 0, 1 or 2.
  ///
  /// 0 for combining characters, 2 for the squares of East Asian writing (width W and F of
  /// Unicode's UAX #11) and for pictures, else 1. By whole blocks, unassigned characters included.
  fileprivate var terminalColumns: Int {
    if value < 0x300 { return 1 }
    if [.nonspacingMark, .enclosingMark].contains(properties.generalCategory) { return 0 }
    switch value {
    case 0x1160...0x11FF: return 0  // Hangul vowels and finals
    case 0x1100...0x115F,  // Hangul initials
      0x2E80...0x303E, 0x3041...0xA4CF,  // Han radicals, kana, Han, Yi
      0xA960...0xA97F, 0xAC00...0xD7A3,  // Hangul
      0xF900...0xFAFF,  // Han, for compatibility
      0xFE10...0xFE19, 0xFE30...0xFE6F,  // upright and small forms
      0xFF01...0xFF60, 0xFFE0...0xFFE6,  // full-width forms
      0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,  // Tangut, Khitan, more kana
      0x20000...0x3FFFD:  // the other planes of Han
      return 2
    case 0x1F1E6...0x1F1FF: return 1  // two of them make a flag
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}

/// The terminal that results are shown on.
struct Terminal {
  let width: Int
  /// Whether it can do more than print text. Then it takes commands for colours, and can rewrite a
  /// line.
  var isCapable = false
  var hasColors = false
  /// Whether it also shows the sentences on standard error.
  var showsMessages = false
}

extension Terminal {
  /// The terminal of standard output. In a file a line may be as long as it is, unless `COLUMNS`
  /// limits it.
  init(ofOutput host: Host, isQuiet: Bool = false) {
    let isTerminal = host.streams.outputIsTerminal
    let usual = isTerminal ? host.streams.outputColumns ?? 80 : nil
    let columns = Int(Self.variable("COLUMNS", host)) ?? usual
    width = columns.map { min(max($0, 20), 10_000) } ?? .max
    if !isTerminal { return }
    isCapable = Self.isCapable(host)
    hasColors = isCapable && Self.variable("NO_COLOR", host).isEmpty
    showsMessages = host.streams.errorIsTerminal && !isQuiet
  }

  static func isCapable(_ host: Host) -> Bool { !["", "dumb"].contains(variable("TERM", host)) }

  private static func variable(_ name: String, _ host: Host) -> String {
    (try? host.environment(name)).flatMap { $0 } ?? ""
  }

  func bold(_ text: String) -> String { hasColors ? "\u{1b}[1m\(text)\u{1b}[m" : text }

  func red(_ text: String) -> String { hasColors ? "\u{1b}[31m\(text)\u{1b}[m" : text }
}
