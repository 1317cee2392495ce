import Testing

@testable import CreditFinance

@Suite struct CorrectionReferenceTests {
  @Test(arguments: ["amend:", "amend:x", "amend:x:0", "amend:x:y", "amendment", "amend:x:-1"])
  func otherIdsAreNotCorrections(_ id: String) {
    #expect(CorrectionReference(id: id) == nil)
  }

  @Test func namesTheChargeAndTheNumber() throws {
    let found = try #require(CorrectionReference(id: "amend:a:b:12:old"))
    #expect(found.charge == "a:b" && found.number == 12 && found.isReturn)
    #expect(CorrectionReference(id: "amend:a:2")?.isReturn == false)
  }
}
