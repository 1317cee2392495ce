import CreditModel
import CreditStore
import Testing

@testable import CreditServer

struct ServerErrorsTests {
  private func error(_ state: SQLState) -> CreditError {
    CreditError(
      .refused(state, message: "canceling statement"),
      at: StoreLocation(path: "postgres:///none", isNamed: true))
  }

  /// A statement that was ended need not have met another client.
  @Test func timeoutsAreDistinguished() {
    #expect(error(.lockNotAvailable).code == .storeLocked)
    #expect(error(.lockNotAvailable).message.contains("others are at work"))
    #expect(error(.queryCanceled).code == .storeLocked)
    #expect(
      error(.queryCanceled).message
        == "the server has ended a statement (canceling statement); others may be at work on the "
        + "same accounts; try again")
  }

  @Test(arguments: [
    ("42501", CreditError.Code.permissionDenied), ("25006", .permissionDenied),
    ("42P01", .noStore), ("3F000", .noStore), ("40P01", .storeLocked), ("53100", .unavailable),
    ("57P01", .unavailable), ("XX000", .ioError),
  ])
  func statesHaveCodes(_ state: String, _ code: CreditError.Code) {
    #expect(error(SQLState(state)).code == code)
  }
}
