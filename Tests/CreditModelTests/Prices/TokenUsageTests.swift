import Testing

@testable import CreditModel

@Suite struct TokenUsageTests {
  private var plain: TokenUsage { TokenUsage(inputTokens: 3, outputTokens: 5) }

  @Test func everyCountIsKeptUnderItsOwnName() {
    var usage = plain
    for count in UsageCount.allCases { usage[count] = Int64(count.rawValue) + 10 }
    for count in UsageCount.allCases { #expect(usage[count] == Int64(count.rawValue) + 10) }
    #expect(usage.inputTokens == 10 && usage.cacheWriteTokens == 13)
    #expect(!usage.isCommon)
  }

  @Test func zerosAndOrdinaryConditionsLeaveNothing() {
    var usage = plain
    usage[.webSearches] = 0
    usage[.serviceTier] = "Standard"
    #expect(usage.isCommon && usage == plain)
    usage[.webSearches] = 2
    usage[.speed] = "fast"
    #expect(!usage.isCommon && usage != plain)
    usage[.webSearches] = 0
    usage[.speed] = nil
    #expect(usage.isCommon && usage == plain && usage.hashValue == plain.hashValue)
  }

  @Test(arguments: UsageCondition.ordinaryValues)
  func ordinaryValuesAreLeftOutInAnyCase(_ value: String) {
    for value in [value, value.uppercased(), value.capitalizedFirst] {
      #expect(UsageCondition.kept(value) == nil)
    }
    #expect(UsageCondition.kept(value + "1") == value + "1")
  }

  @Test func otherValuesAreKeptInSmallLetters() {
    var usage = plain
    usage[.serviceTier] = "BATCH"
    usage[.inferenceGeo] = "us"
    #expect(usage[.serviceTier] == "batch")
    #expect(usage[.speed] == nil)
    #expect(usage[.inferenceGeo] == "us")
  }

  @Test func copiesKeepTheirValues() {
    var usage = plain
    usage[.webSearches] = 1
    var copy = usage
    copy[.webSearches] = 2
    #expect(usage[.webSearches] == 1 && copy[.webSearches] == 2)
    #expect(usage != copy)
  }

  @Test func zeroIsWithoutAnyCount() {
    var usage = TokenUsage(inputTokens: 0, outputTokens: 0)
    #expect(usage.isZero)
    usage[.speed] = "fast"
    #expect(usage.isZero)
    usage[.searchUnits] = 1
    #expect(!usage.isZero)
  }

  @Test func totalInputIsOfAllKinds() {
    var usage = TokenUsage(inputTokens: 0, outputTokens: 0)
    for count in UsageCount.allCases { usage[count] = 1 << Int64(count.rawValue) }
    let input = UsageCount.allCases.filter { $0.row.kind == .input }
    #expect(input.count == 9)
    #expect(usage.totalInput == input.reduce(0) { $0 + 1 << UInt128($1.rawValue) })
    for count in UsageCount.allCases { usage[count] = .max }
    #expect(usage.totalInput == 9 * UInt128(Int64.max))
  }

  @Test func namesOfTheTableAreInStep() {
    for count in UsageCount.allCases {
      let row = count.row
      #expect(row.member.description == "\(count)")
      let isCalls = row.kind == .calls
      #expect(!row.price.description.contains("Per"))
      #expect(isCalls || row.member.description.hasSuffix("Tokens"))
      #expect(row.flag.description.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
    }
    #expect(UsageCount.total == UsageCount.allCases.count)
    let members = UsageCount.allCases.map { $0.row.member.description }
    let prices = UsageCount.allCases.map { $0.row.price.description }
    #expect(Set(members).count == members.count && Set(prices).count == prices.count)
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
