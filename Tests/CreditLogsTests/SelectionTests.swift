import CreditLogs
import CreditModel
import Testing

@Suite struct SelectionTests {
  private func row(_ id: String, _ more: String = "") -> String {
    """
    {"request_id":"\(id)","model":"gpt-4o","prompt_tokens":1,"completion_tokens":2,\
    "startTime":"2026-02-19T10:00:00Z"\(more)}
    """
  }

  @Test func selectsByTimeOfUse() {
    func keys(_ since: String?, _ until: String?) -> [String?] {
      let selection = LogSelection.me.with {
        $0.since = since.flatMap(Timestamp.init(text:))
        $0.until = until.flatMap(Timestamp.init(text:))
      }
      return requests("litellm", row("a"), selection: selection).map { member("key", of: $0) }
    }
    #expect(keys("2026-02-19T10:00:00Z", "2026-02-19T10:00:00.001Z") == ["a"])
    #expect(keys("2026-02-19T10:00:00.001Z", nil) == [])
    #expect(keys(nil, "2026-02-19T10:00:00Z") == [])
  }

  @Test func countsRecordsWithoutTimesIfTimesAreSelected() {
    let timeless = #"{"request_id":"b","model":"m","prompt_tokens":1,"completion_tokens":2}"#
    #expect(member("usedAt", of: requests("litellm", timeless)[0]) == nil)
    let (log, tally) = read(
      "litellm", [(nil, timeless)], .me.with { $0.since = Timestamp(milliseconds: 0) })
    #expect(log.requests == [])
    #expect(tally.counts == [LogOmission.timeless.rawValue: 1])
  }

  @Test func findsTheAccountInATagOrAMember() {
    let line = row(
      "a", #","session_id":"s","user":"ana","n":7,"metadata":{"team":{"name":"blue"}}"#)
    for (member, account) in [
      ("session", "s"), ("source", "litellm"), ("user", "ana"), ("n", "7"),
      ("metadata.team.name", "blue"),
    ] {
      let found = requests("litellm", line, selection: .from(member))
      #expect(found.map { CreditLogsTests.member("account", of: $0) } == [account])
    }
  }

  @Test func countsRecordsWithoutAccounts() {
    let lines = [
      row("a", #","user":"ana""#), row("b"), row("c", #","user":"""#), row("d", #","user":" x""#),
    ]
    let (log, tally) = read("litellm", [("f", lines.joined(separator: "\n"))], .from("user"))
    #expect(log.requests.count == 1)
    #expect(
      tally.counts == [
        "--account-from finds no account in it": 2,
        "its account begins or ends with white space": 1,
      ])
    #expect(tally.lines.map(\.first) == ["f:2", "f:4"])
    #expect(log.problems.count == 3)
  }

  @Test func namesTheModelOfALogWithoutModels() {
    let line = row("a").replacing("gpt-4o", with: "")
    #expect(read("litellm", [(nil, line)]).tally.counts == ["it names no model; --model does": 1])
    let named = LogSelection.me.with { $0.model = Name(trusted: "gpt-5") }
    #expect(member("model", of: requests("litellm", line, selection: named)[0]) == "gpt-5")
    #expect(member("model", of: requests("litellm", row("a"), selection: named)[0]) == "gpt-4o")
  }

  /// A tag has at most 256 bytes, and whole characters.
  @Test func clipsLongTags() {
    let session = String(repeating: "ä", count: 100) + "x" + String(repeating: "ö", count: 100)
    let request = requests("litellm", row("a", #","session_id":"\#(session)""#))
    let tag = member("tags.session", of: request[0])
    #expect(tag == String(repeating: "ä", count: 27) + "x" + String(repeating: "ö", count: 100))
  }
}
