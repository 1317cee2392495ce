import CreditModel
import Testing

@testable import CreditFinance

/// A bill with a hole never counts as equal.
@Suite struct BillCoverageTests {
  private let opus = anthropicUsage("opus", input: 1)

  private func missing(_ error: CreditError?) -> [String] {
    for case .missing(let names) in error?.details ?? [] { return names }
    return []
  }

  @Test func aPageThatPromisesAnotherOneNeedsIt() throws {
    let first = anthropicPage([[opus]], more: "page_2")
    let error = failure { try compare(AnthropicBill.self, [first]) }
    #expect(error?.code == .incompleteBill)
    #expect(
      missing(error) == ["usage_report/messages from 2026-11-02T00:00:00.000Z, the page page_2"])
    let second = anthropicPage([[opus]], from: 2)
    for bills in [[first + "\n" + second], [second, first], [second + first]] {
      #expect(try compare(AnthropicBill.self, bills).causes == [.notInBooks, .notInBooks])
    }
  }

  @Test func aGapBetweenBucketsIsAHole() {
    let error = failure {
      try compare(
        AnthropicBill.self, [anthropicPage([[opus]]), anthropicPage([[opus]], from: 3)])
    }
    #expect(error?.code == .incompleteBill)
    #expect(
      missing(error) == [
        "usage_report/messages from 2026-11-02T00:00:00.000Z to 2026-11-03T00:00:00.000Z"
      ])
  }

  @Test func bothReportsCoverThePeriod() {
    let error = failure {
      try compare(
        AnthropicBill.self,
        [anthropicPage([[opus], [opus]]), anthropicPage([[anthropicCost("1", "opus", nil)]])])
    }
    #expect(
      missing(error) == ["cost_report from 2026-11-02T00:00:00.000Z to 2026-11-03T00:00:00.000Z"])
  }

  @Test func aPeriodThatTheBillDoesNotCoverIsAHole() throws {
    let page = anthropicPage([[opus], [opus]])
    let error = failure { try compare(AnthropicBill.self, [page], since: "2026-10-31") }
    #expect(error?.code == .incompleteBill)
    let part = try compare(AnthropicBill.self, [page], since: "2026-11-02")
    #expect(part.result.findings.map(\.day) == ["2026-11-02"])
  }

  @Test func daysWithoutResultsAreCovered() throws {
    let compared = try compare(
      AnthropicBill.self,
      [
        anthropicPage([[opus], [], []]),
        anthropicPage([[], [anthropicCost("1", "opus", nil)], []]),
      ])
    #expect(compared[total: "until"] == "2026-11-04T00:00:00.000Z")
    #expect(compared.result.findings.map(\.day) == ["2026-11-01", "2026-11-02"])
    let empty = try compare(AnthropicBill.self, [anthropicPage([[], []])])
    #expect(empty.lines == [] && empty[total: "ok"] == "true")
  }

  @Test func twoBucketsForOneTimeAreRefused() throws {
    let page = anthropicPage([[opus]])
    #expect(failure { try compare(AnthropicBill.self, [page + page]) }?.code == .incompleteBill)
    let other = anthropicPage([[anthropicUsage("opus", input: 2)]])
    #expect(failure { try compare(AnthropicBill.self, [page, other]) }?.code == .incompleteBill)
    // Files may overlap if they agree: then it counts once.
    let compared = try compare(AnthropicBill.self, [page, page.replacing(",\"", with: ", \"")])
    #expect(compared[0, "usage.bill.inputTokens"] == "1")
  }

  @Test func bucketsThatOverlapAreRefused() {
    let bucket = """
      {"starting_at":"2026-11-01T05:00:00Z","ending_at":"2026-11-01T06:00:00Z",\
      "results":[\(opus)]}
      """
    let hour = #"{"data":[\#(bucket)],"has_more":false}"#
    let error = failure { try compare(AnthropicBill.self, [anthropicPage([[opus]]), hour]) }
    #expect(error?.code == .incompleteBill)
    #expect(error?.message.contains("overlap") == true)
    // In one page, which is of one report, also one without results.
    let buckets = anthropicPage([[]]).replacing("],\"has_more", with: ",\(bucket)],\"has_more")
    let inPage = failure { try compare(AnthropicBill.self, [buckets]) }
    #expect(inPage?.message.contains("overlap") == true)
  }

  @Test func twoResultsForOneGroupAreRefused() throws {
    let twice = anthropicPage([[opus, anthropicUsage("opus", input: 5)]])
    #expect(failure { try compare(AnthropicBill.self, [twice]) }?.code == .incompleteBill)
    let batch = anthropicUsage("opus", input: 5).replacing("null", with: "\"batch\"")
    let compared = try compare(AnthropicBill.self, [anthropicPage([[opus, batch]])])
    #expect(compared[0, "usage.bill.inputTokens"] == "6")
  }

  @Test func aBucketOverMidnightIsRefused() {
    let error = failure {
      try compare(AnthropicBill.self, [anthropicPage([[opus]])], offset: "+02:00")
    }
    #expect(error?.message.contains("more than one day") == true)
  }

  @Test(arguments: [
    "", " \n", "null", "{}", "{\"data\":[]}", "{\"data\":{},\"has_more\":false}", "{\"data\":[",
    "{\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}",
    "{\"data\":[{\"starting_at\":\"x\",\"ending_at\":\"y\",\"results\":[]}],\"has_more\":false}",
    "{\"data\":[{\"results\":[]}],\"has_more\":false}",
    "{\"data\":[],\"data\":[],\"has_more\":false}",
  ])
  func anInvalidPageIsAnError(_ text: String) {
    let error = failure { try compare(AnthropicBill.self, [text]) }
    #expect(error?.code.exitStatus == 65, "\(text)")
  }

  @Test func anEmptyBillIsIncomplete() {
    let error = failure {
      try compare(AnthropicBill.self, ["{\"data\":[],\"has_more\":false}"])
    }
    #expect(error?.code == .incompleteBill)
  }
}
