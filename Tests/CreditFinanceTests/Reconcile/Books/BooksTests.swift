import CreditModel
import Testing

@testable import CreditFinance

/// The effect of a history's lines.
@Suite struct BooksTests {
  private func bill(_ days: Int64...) -> String {
    anthropicPage(days.map { [anthropicUsage("opus", input: $0)] })
  }

  private func call(_ id: String, _ time: String, _ input: Int64) -> String {
    usage(id, time, "opus", "\"inputTokens\":\(input)")
  }

  @Test func onlyUsageCounts() throws {
    let purchase = """
      {"id":"p","account":"ana","type":"purchase","status":"completed","credits":5,"balance":5,\
      "timestamp":"2026-11-01T00:00:00.000Z"}
      """
    let refunded = call("1", "2026-11-01T05:00:00Z", 3).replacing("completed", with: "refunded")
    let compared = try compare(AnthropicBill.self, [bill(3)], [purchase, refunded])
    #expect(compared.causes == [.equal])
  }

  /// Another account's payment for a call is not a call: its member's line has usage and dollars.
  @Test func aPayersLineIsNotACall() throws {
    let own = call("1", "2026-11-01T05:00:00Z", 3)
    let share = """
      {"id":"1","account":"acme","type":"usage","status":"completed","credits":-1,"balance":1,\
      "timestamp":"2026-11-01T05:00:00.000Z","model":"opus","member":"ana"}
      """
    let compared = try compare(AnthropicBill.self, [bill(4)], [share, own])
    #expect(compared.result.findings[0].callCount == 1)
    #expect(compared[total: "repeatedIds"] == nil)
    #expect(compared.result.findings[0].keys == ["key-1"])
  }

  @Test(arguments: [
    "{}", "{\"id\":\"x\"}", "{\"id\":5,\"type\":\"usage\",\"timestamp\":\"x\"}", "[]",
    "{\"id\":\"x\",\"type\":\"usage\",\"timestamp\":\"yesterday\"}",
    "{\"id\":\"x\",\"type\":\"usage\",\"timestamp\":\"2026-11-01T00:00:00.000Z\",\"usd\":\"x\"}",
    """
    {"id":"x","type":"usage","timestamp":"2026-11-01T00:00:00.000Z","model":"opus",\
    "usage":{"inputTokens":-1}}
    """,
    """
    {"id":"x","type":"usage","timestamp":"2026-11-01T00:00:00.000Z","model":"opus",\
    "usage":{"inputTokens":1.5}}
    """,
    """
    {"id":"x","type":"usage","timestamp":"2026-11-01T00:00:00.000Z","model":"opus",\
    "usage":{"brainTokens":1}}
    """,
  ])
  func aLineThatCannotBeReadIsAnError(_ line: String) {
    let error = failure { try compare(AnthropicBill.self, [bill(1)], [line]) }
    #expect(error?.code.exitStatus == 65, "\(line)")
  }

  @Test func costComesBeforePrice() throws {
    let page = anthropicPage([[anthropicCost("100", "opus", nil)]])
    let line = usage(
      "1", "2026-11-01T00:00:00Z", "opus", "\"inputTokens\":1", usd: "2", costUSD: "1")
    #expect(try compare(AnthropicBill.self, [page], [line]).causes == [.equal])
  }

  @Test func linesOfOtherDaysAreCounted() throws {
    let history = [
      call("1", "2026-10-31T23:59:59.999Z", 1), call("2", "2026-11-01T00:00:00Z", 5),
      call("3", "2026-11-02T00:00:00Z", 7),
    ]
    let compared = try compare(AnthropicBill.self, [bill(5)], history)
    #expect(compared.causes == [.equal])
    #expect(compared[total: "outside"] == "2")
    #expect(
      compared.result.totals.remarks == [
        "2 calls of the books are outside the bill's period, and not compared: "
          + "give the bill's --since and --until"
      ])
    let given = try compare(
      AnthropicBill.self, [bill(5)], history, since: "2026-11-01", until: "2026-11-02")
    #expect(given[total: "outside"] == "2" && given.result.totals.remarks.isEmpty)
    // Calls beyond an end that was asked for are no surprise.
    let begun = try compare(AnthropicBill.self, [bill(5)], history, since: "2026-11-01")
    #expect(begun[total: "outside"] == "2")
    #expect(
      begun.result.totals.remarks == [
        "1 call of the books is outside the bill's period, and not compared: "
          + "give the bill's --until"
      ])
  }

  /// Of the history of several providers the models of one are compared.
  @Test func modelsOfOtherProvidersAreLeftOut() throws {
    let day = "2026-11-01T01:00:00Z"
    func line(_ id: String, _ model: String, _ input: Int, at time: String = day) -> String {
      usage(id, time, model, "\"inputTokens\":\(input)")
    }
    let history = [
      // One moved to the provider and one away from it.
      line("amend:a:1", "opus", 2), line("amend:a:1:old", "gpt-5", 9), line("a", "gpt-5", 9),
      line("amend:b:1", "gpt-5", 8), line("amend:b:1:old", "opus", 8), line("b", "opus", 8),
      line("c", "opus", 3), line("d", "gpt-5", 7), line("amend:lost:1", "gpt-5", 7),
      line("e", "gpt-5", 7, at: "2026-12-09T00:00:00Z"),
    ]
    for models in [["opus"], ["son*", "op*"]] {
      let compared = try compare(AnthropicBill.self, [bill(5)], history, models: models)
      #expect(compared.causes == [.equal] && compared.result.remarks.isEmpty)
      #expect(compared[total: "outside"] == nil && compared[total: "leftOut"] == nil)
      let page = String(decoding: compared.result.page(version: "1").bytes, as: UTF8.self)
      #expect(page.contains("of them the models \(models.joined(separator: ", "))."))
    }
    let all = try compare(AnthropicBill.self, [bill(5)], history)
    #expect(all.causes == [.notInBill, .equal])
    let days = try compare(AnthropicBill.self, [bill(5)], history, models: ["opus"]) {
      $0.grouping = .day
    }
    #expect(days.causes == [.equal])
  }

  /// Corrections of a charge add to them, as in a day.
  @Test func dollarsOfOtherDaysAreSummed() throws {
    let day = "2026-11-02T01:00:00Z"
    let history = [
      usage("amend:a:1", day, "opus", "\"inputTokens\":2", usd: "-0.25"),
      usage("a", day, "opus", "\"inputTokens\":3", usd: "1.5"),
      usage("b", "2026-11-01T00:00:00Z", "opus", "\"inputTokens\":5", usd: "7"),
    ]
    let compared = try compare(AnthropicBill.self, [bill(5)], history)
    #expect(compared[total: "outside"] == "1" && compared[total: "outsideUSD"] == "1.25")
    let remark = "1 call (1.25 USD) of the books is outside"
    #expect(compared.result.totals.remarks[0].hasPrefix(remark))
    #expect(compared.result.rows.last?.last == "1 call (1.25 USD) outside the bill's period")
    let csv = String(decoding: compared.result.csv.bytes, as: UTF8.self)
    #expect(csv.contains("USD,,\"\(remark) the bill's period, and not"))
    let page = String(decoding: compared.result.page(version: "1").bytes, as: UTF8.self)
    #expect(page.contains("no line differs; \(remark)"))
  }

  @Test func daysBeginInTheBillsTimeZone() throws {
    let csv = "date,model,usage,prompt_tokens,completion_tokens\n2026-11-01,opus,1,5,0\n"
    let history = usage(
      "1", "2026-10-31T23:30:00Z", "opus", "\"inputTokens\":5", usd: "1")
    #expect(try compare(OpenRouterBill.self, [csv], [history]).causes == [.notInBooks])
    let shifted = try compare(OpenRouterBill.self, [csv], [history], offset: "+01:00")
    #expect(shifted.causes == [.equal])
    #expect(shifted[total: "since"] == "2026-10-31T23:00:00.000Z")
  }

  @Test func repeatedIdsCountTwiceAndAreReported() throws {
    let line = call("1", "2026-11-01T01:00:00Z", 5)
    let compared = try compare(AnthropicBill.self, [bill(10)], [line, line])
    #expect(compared.causes == [.equal])
    #expect(compared[total: "repeatedIds"] == "1")
  }

  @Test func callsThatTheBillLacksAreNamed() throws {
    let history = (1...25).map { call("\($0)", "2026-11-02T01:00:00Z", 1) }
    let compared = try compare(
      AnthropicBill.self, [anthropicPage([[anthropicUsage("opus", input: 1)], []])], history)
    #expect(compared.causes == [.notInBooks, .notInBill])
    #expect(compared[1, "calls"] == "25")
    #expect(compared.result.findings[1].keys.count == 20)
    #expect(compared.result.findings[1].keys.first == "key-1")
  }

  /// The other calls of its line do not hide a call without dollars and counts.
  @Test func aCallThatABillOfCallsLacksIsMissing() throws {
    let bill = """
      request_id,model,prompt_tokens,completion_tokens,spend,startTime
      x,opus,5,0,0,2026-11-01 10:00:00

      """
    func causes(_ bill: String, _ format: any BillFormat.Type, _ history: String...) throws
      -> [Cause]
    {
      try compare(format, [bill], history).causes
    }
    let (counted, bare) = (
      call("1", "2026-11-01T10:00:00Z", 5), call("2", "2026-11-01T10:00:00Z", 0)
    )
    #expect(try causes(bill, LiteLLMBill.self, counted) == [.equal])
    #expect(try causes(bill, LiteLLMBill.self, counted, bare) == [.notInBill])
    let missing = try compare(LiteLLMBill.self, [bill], [counted, bare])
    #expect(missing[0, "calls"] == "1" && missing[0, "keys"] == "[\"key-2\"]")
    // The newest line of a corrected call says whether it has counts.
    let emptied = bare.replacing("\"id\":\"2\"", with: "\"id\":\"amend:3:1\"")
    let filled = counted.replacing("\"id\":\"1\"", with: "\"id\":\"amend:4:1\"")
    let empty = call("4", "2026-11-01T10:00:00Z", 0)
    let full = call("3", "2026-11-01T10:00:00Z", 5)
    #expect(try causes(bill, LiteLLMBill.self, filled, empty) == [.equal])
    #expect(try causes(bill, LiteLLMBill.self, counted, emptied, full) == [.notInBill])
    // A bill without counts does not show those of the books.
    let dollars = """
      {"id":"x","model":"opus","total_cost":0,"created_at":"2026-11-01T10:00:00Z"}
      """
    #expect(try causes(dollars, OpenRouterBill.self, counted) == [.notInBill])
  }

  // MARK: Corrections

  @Test func ofACorrectedChargeTheNewestUsageCountsOnItsDay() throws {
    let page = anthropicPage([[anthropicUsage("opus", input: 50)]])
    let cost = anthropicPage([[anthropicCost("50", "opus", "uncached_input_tokens")]])
    // Without usedAt the line of a correction is of the day on which it was made.
    func line(_ id: String, _ day: String, _ input: Int, _ usd: String) -> String {
      usage(id, "x", "opus", "\"inputTokens\":\(input)", usd: usd)
        .replacing(",\"usedAt\":\"x\"", with: "")
        .replacing("2026-12-24", with: day)
    }
    let history = [
      line("amend:a:2", "2026-12-24", 50, "-0.1"), line("amend:a:1", "2026-12-01", 60, "0.2"),
      line("a", "2026-11-01", 40, "0.4"),
    ]
    let compared = try compare(AnthropicBill.self, [page, cost], history)
    #expect(compared.causes == [.equal])
    #expect(compared[0, "booksUSD"] == "0.5")
    #expect(compared[total: "outside"] == nil)
    for order in [[1, 0, 2], [2, 0, 1], [0, 2, 1]] {
      let error = failure {
        try compare(AnthropicBill.self, [page, cost], order.map { history[$0] })
      }
      #expect(error?.message.contains("newest first") == true, "\(order)")
    }
  }

  @Test func aChargeThatAnotherModelTakesOver() throws {
    let page = anthropicPage([[anthropicUsage("haiku", input: 40)]])
    let history = [
      usage("amend:a:1", "2026-11-01T01:00:00Z", "haiku", "\"inputTokens\":40", usd: "0.1"),
      usage("amend:a:1:old", "2026-11-01T01:00:00Z", "opus", "\"inputTokens\":40", usd: "-0.4"),
      usage("a", "2026-11-01T01:00:00Z", "opus", "\"inputTokens\":40", usd: "0.4"),
    ]
    let compared = try compare(AnthropicBill.self, [page], history)
    #expect(compared[0, "model"] == "haiku" && compared.causes == [.equal])
  }

  @Test func aCorrectionWithoutItsChargeIsLeftOut() throws {
    let history = [
      usage("amend:a:1", "2026-11-01T01:00:00Z", "opus", "\"inputTokens\":7", usd: "0.1"),
      usage("b", "2026-11-01T01:00:00Z", "opus", "\"inputTokens\":5", usd: "0.1"),
    ]
    let compared = try compare(AnthropicBill.self, [bill(5)], history)
    #expect(compared.causes == [.equal])
    #expect(compared[total: "leftOut"] == "1")
    #expect(
      compared.result.totals.remarks == [
        "corrections of charges that the history lacks are left out (1): give the whole history "
          + "to compare them"
      ])
  }

  @Test func aChargeThatAFollowerRepeatsCountsOnce() throws {
    let history = [
      usage("a", "2026-11-01T01:00:00Z", "opus", "\"inputTokens\":7", usd: "0.1"),
      usage("a", "2026-11-01T01:00:00Z", "opus", "\"inputTokens\":7", usd: "0.1")
        .replacing("\"completed\"", with: "\"refunded\"").dropLast() + ",\"changed\":true}",
    ].map { String($0) }
    let compared = try compare(AnthropicBill.self, [bill(7)], history)
    #expect(compared.causes == [.equal] && compared[total: "repeatedIds"] == nil)
    // A day that began behind the charge has it once, too.
    #expect(try compare(AnthropicBill.self, [bill(7)], [history[1]]).causes == [.equal])
  }

  // MARK: Midnight

  private func graced(
    _ bills: [Int64], _ history: [String], _ minutes: Int64 = 5
  ) throws -> Compared {
    try compare(
      AnthropicBill.self, [anthropicPage(bills.map { [anthropicUsage("opus", input: $0)] })],
      history
    ) { $0.grace = .seconds(minutes * 60) }
  }

  @Test func callsNearMidnightMoveIfDaysThenAgree() throws {
    let history = [
      call("1", "2026-11-01T10:00:00Z", 100), call("2", "2026-11-01T23:56:00Z", 7),
      call("3", "2026-11-01T23:58:00Z", 5), call("4", "2026-11-02T10:00:00Z", 1),
    ]
    let moved = try graced([107, 6], history)
    #expect(moved.causes == [.equal, .equal] && moved[total: "moved"] == "1")
    #expect(try graced([100, 13], history)[total: "moved"] == "2")
    // The nearest first: the farther one does not move alone.
    #expect(try graced([105, 8], history).causes == [.quantity, .quantity])
    #expect(try graced([107, 6], history, 1).causes == [.quantity, .quantity])
    // Both days agree, or no call moves.
    #expect(try graced([107, 7], history).causes == [.quantity, .quantity])
    #expect(try graced([107, 7], history)[total: "moved"] == nil)
  }

  @Test func callsMoveBackToo() throws {
    let history = [
      call("1", "2026-11-01T10:00:00Z", 100), call("2", "2026-11-02T00:00:01Z", 5),
      call("3", "2026-11-02T10:00:00Z", 1),
    ]
    let moved = try graced([105, 1], history)
    #expect(moved.causes == [.equal, .equal] && moved[total: "moved"] == "1")
  }

  @Test func daysInARowMoveTogether() throws {
    let history = (1...3).flatMap { day in
      [
        call("\(day)a", "2026-11-0\(day)T10:00:00Z", 100),
        call("\(day)b", "2026-11-0\(day)T23:59:59Z", Int64(day)),
      ]
    }
    // Every late call is on the next day of the bill; the last one stays.
    let moved = try graced([100, 101, 105], history)
    #expect(moved.causes == [.equal, .equal, .equal] && moved[total: "moved"] == "2")
    #expect(try graced([100, 101, 106], history)[total: "moved"] == nil)
  }

  @Test func aCorrectedCallMovesAsItIsNow() throws {
    func line(_ id: String, _ model: String, _ input: Int64, _ usd: String) -> String {
      usage(id, "2026-11-01T23:58:00Z", model, "\"inputTokens\":\(input)", usd: usd)
        .replacing("key-\(id)", with: "key-1")
    }
    let others = [call("2", "2026-11-01T10:00:00Z", 100), call("3", "2026-11-02T10:00:00Z", 1)]
    let ofOneModel = [
      line("amend:1:2", "opus", 7, "-0.1"), line("amend:1:1", "opus", 9, "0.4"),
      line("1", "opus", 5, "0.5"),
    ]
    let ofTwoModels = [
      line("amend:1:1", "opus", 7, "0.8"), line("amend:1:1:old", "haiku", 5, "-0.5"),
      line("1", "haiku", 5, "0.5"),
    ]
    for lines in [ofOneModel, ofTwoModels] {
      let moved = try graced([100, 8], lines + others)
      #expect(moved.causes == [.equal, .equal] && moved[total: "moved"] == "1")
      #expect(moved[1, "booksUSD"] == "0.8")
      #expect(moved.result.findings.map(\.keys) == [["key-2"], ["key-3", "key-1"]])
      let stays = try graced([107, 1], lines + others)
      #expect(stays.causes == [.equal, .equal] && stays[total: "moved"] == nil)
      #expect(stays.result.findings.map(\.keys) == [["key-2", "key-1"], ["key-3"]])
    }
  }

  @Test func keysOfOtherCallsRemainIfManyMove() throws {
    let late = (1...25).map { call("\($0)", "2026-11-01T23:59:00Z", 1) }
    let history = late + [call("early", "2026-11-01T10:00:00Z", 4)]
    let moved = try graced([4, 26], history + [call("next", "2026-11-02T10:00:00Z", 1)])
    #expect(moved.causes == [.equal, .equal] && moved[total: "moved"] == "25")
    #expect(moved.result.findings[0].keys == ["key-early"])
    #expect(moved.result.findings[1].keys.count == 20)
  }

  @Test func daysThatAgreeAreLeftAlone() throws {
    let history = [
      call("1", "2026-11-01T23:59:00Z", 5), call("2", "2026-11-02T00:00:30Z", 5),
    ]
    #expect(try graced([5, 5], history)[total: "moved"] == nil)
  }
}
