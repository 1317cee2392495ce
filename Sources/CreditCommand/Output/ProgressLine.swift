internal import CreditSystem

/// A line on a terminal that says how far the work has come, from its second second on.
final class ProgressLine {
  private let errors: ErrorOutput
  private let system: any SystemCalls
  private let start: Int64
  private let isShown: Bool

  init(_ command: Command) {
    errors = command.errors
    system = command.host.system
    isShown =
      command.host.streams.errorIsTerminal && !command.settings.isQuiet
      && Terminal(command.host).isCapable
    start = isShown ? system.currentMilliseconds() : 0
  }

  /// Shows a text in place of the one before.
  func show(_ text: @autoclosure () -> String) {
    if isShown, system.currentMilliseconds() - start > 1000 { errors.show(progress: text()) }
  }

  /// Shows how much of the work is done.
  func show(_ verb: String, _ done: Int, of total: Int) {
    if total > 0 { show("\(verb) \(Int128(done) * 100 / Int128(total))%") }
  }
}
