internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  /// `credit-store verify`: one line that all is well, or one for each thing that is wrong.
  func verify() {
    onStore { store, output throws(CreditError) in try verify(store, output) }
  }

  private func verify(_ store: any Store, _ output: ResultOutput) throws(CreditError) {
    let progress = ProgressLine(self)
    let summary = try store.verify { progress.show("verified", $0, of: $1) }
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
      if summary.isIndexBehind { writer.member("index", "behind") }
      writer.tornTails(summary.tornTails)
      writer.endObject()
    }
  }
}

extension JSONWriter {
  /// The member `torn`: what there is of appends that did not end; left out where nothing is.
  mutating func tornTails(_ tails: [TornTail]) {
    if tails.isEmpty { return }
    key("torn")
    beginArray()
    for tail in tails {
      beginObject()
      if let file = tail.file { member("file", file) }
      member("records", Int64(tail.records))
      member("bytes", Int64(tail.bytes))
      endObject()
    }
    endArray()
  }
}
