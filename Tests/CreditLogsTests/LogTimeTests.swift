import CreditLogs
import Testing

@Suite struct LogTimeTests {
  @Test(
    arguments: [
      (#""2026-02-19T10:00:00Z""#, "2026-02-19T10:00:00.000Z"),
      (#""2026-02-19T12:00:00.1234567+02:00""#, "2026-02-19T10:00:00.123Z"),
      (#""2026-02-19 10:00:00.5""#, "2026-02-19T10:00:00.500Z"),
      (#""2026-02-19 12:00:00+02""#, "2026-02-19T10:00:00.000Z"),
      (#""2026-02-19 12:00:00.25 +0200""#, "2026-02-19T10:00:00.250Z"),
      (#""2026-02-19 10:00 UTC""#, "2026-02-19T10:00:00.000Z"),
      ("1771495200", "2026-02-19T10:00:00.000Z"),
      ("1771495200.75", "2026-02-19T10:00:00.750Z"),
      ("1771495200123", "2026-02-19T10:00:00.123Z"),
      (#""1771495200123456789""#, "2026-02-19T10:00:00.123Z"),
      (#""yesterday""#, nil), (#""2026-02-30 10:00:00""#, nil), ("0", nil), ("-5", nil),
      ("null", nil),
      ("99999999999999999999", nil), (#""""#, nil),
    ] as [(String, String?)])
  func readsTimesInTheirOwnForms(json: String, time: String?) {
    let row = """
      {"request_id":"a","model":"m","prompt_tokens":1,"completion_tokens":2,"startTime":\(json)}
      """
    let request = requests("litellm", row)
    #expect(member("usedAt", of: request[0]) == time)
  }
}
