internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  /// `credit-store verify`: one line that all is well, or one for each thing that is wrong.
  func verify() {
    onStore { store, output throws(CreditError) in try verify(store, output) }
  }

  private func verify(_ store: LocalStore, _ output: ResultOutput) throws(CreditError) {
    let progress = VerifyProgress(self)
    let summary = try store.verify { progress.report($0, of: $1) }
    progress.clear()
    for finding in summary.findings { output.print(finding) }
    let rest = summary.findingCount - summary.findings.count
    if rest > 0 {
      throw CreditError(.corruptStore, "\(rest) more findings are not shown")
    }
    guard summary.findings.isEmpty else { return }
    output.print { writer in
      writer.beginObject()
      writer.member("ok", true)
      writer.member("records", Int64(summary.records))
      writer.member("accounts", Int64(summary.accounts))
      writer.member("credits", summary.credits)
      writer.member("bytes", Int64(summary.bytes))
      writer.endObject()
    }
  }
}

/// How far a check is, on a terminal, from its second second on.
private final class VerifyProgress {
  private let command: Command
  private let start: Int64
  private var shownPercent = -1

  init(_ command: Command) {
    self.command = command
    start = command.host.system.currentMilliseconds()
  }

  func report(_ done: Int, of total: Int) {
    guard command.host.streams.errorIsTerminal, !command.settings.isQuiet, total > 0 else { return }
    let percent = done * 100 / total
    guard percent > shownPercent,
      command.host.system.currentMilliseconds() - start > 1000
    else { return }
    shownPercent = percent
    show("\r\(command.tool.name): verified \(percent)%")
  }

  /// Makes the line free for what comes.
  func clear() {
    if shownPercent >= 0 { show("\r\u{1b}[K") }
  }

  private func show(_ text: String) {
    var text = text
    text.withUTF8 { command.host.streams.complain(UnsafeRawBufferPointer($0)) }
  }
}
