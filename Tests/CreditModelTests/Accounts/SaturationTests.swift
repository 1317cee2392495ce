import Testing

@testable import CreditModel

@Suite struct SaturationTests {
  @Test func overflowGivesTheNearestNumber() {
    #expect(Int64.max.addingSaturating(1) == .max)
    #expect(Int64.min.addingSaturating(-1) == .min)
    #expect(Int64.max.subtractingSaturating(-1) == .max)
    #expect(Int64.min.subtractingSaturating(1) == .min)
    #expect(Int64(0).subtractingSaturating(.min) == .max)
  }

  @Test func sumsThatFitAreExact() {
    #expect((Int64.max - 1).addingSaturating(1) == .max)
    #expect(Int64(-3).addingSaturating(2) == -1)
    #expect((Int64.min + 1).subtractingSaturating(1) == .min)
  }
}
