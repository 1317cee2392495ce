internal import CreditSystem

/// A line on a terminal that says how far the work has come, from its second second on.
final class ProgressLine {
  private let command: Command
  private let start: Int64
  private var shown = ""

  init(_ command: Command) {
    self.command = command
    start = command.host.system.currentMilliseconds()
  }

  /// Shows a text in place of the one before.
  func show(_ text: @autoclosure () -> String) {
    guard command.host.streams.errorIsTerminal, !command.settings.isQuiet,
      command.host.system.currentMilliseconds() - start > 1000
    else { return }
    let text = text()
    if text == shown { return }
    shown = text
    write("\r\(command.tool.name): \(text)")
  }

  /// Makes the line free for what comes.
  func clear() {
    if !shown.isEmpty { write("\r\u{1b}[K") }
    shown = ""
  }

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { command.host.streams.complain(UnsafeRawBufferPointer($0)) }
  }
}
