internal import CreditSystem

/// The terminal that results are shown on.
struct Terminal {
  /// How many columns a line has.
  let width: Int
  /// Whether it can do more than print text. Then it takes commands for colours, and can rewrite a
  /// line.
  let isCapable: Bool
  /// Whether text may have colours.
  let hasColors: Bool
  /// Whether it also shows the sentences on standard error.
  let showsMessages: Bool

  private static let usualWidth = 80
  private static let widths = 20...10_000

  init(_ host: Host, isQuiet: Bool = false) {
    func variable(_ name: String) -> String { (try? host.environment(name)).flatMap { $0 } ?? "" }
    let width = Int(variable("COLUMNS")) ?? host.streams.outputColumns ?? Self.usualWidth
    self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound)
    isCapable = !["", "dumb"].contains(variable("TERM"))
    hasColors = isCapable && variable("NO_COLOR").isEmpty
    showsMessages = host.streams.errorIsTerminal && !isQuiet
  }

  init(width: Int, isCapable: Bool = false, hasColors: Bool = false, showsMessages: Bool = false) {
    self.width = width
    self.isCapable = isCapable
    self.hasColors = hasColors
    self.showsMessages = showsMessages
  }

  /// Text that stands out, as a heading does.
  func bold(_ text: String) -> String { hasColors ? "\u{1b}[1m\(text)\u{1b}[m" : text }

  /// Text as a debt is written.
  func red(_ text: String) -> String { hasColors ? "\u{1b}[31m\(text)\u{1b}[m" : text }
}
