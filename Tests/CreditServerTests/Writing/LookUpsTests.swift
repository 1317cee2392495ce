import CreditStore
import Testing

@testable import CreditServer

struct LookUpsTests {
  /// The lock's time runs out first if others hold one.
  @Test(arguments: [0, 1, 9, 10, 11, 3600, Int(Int32.max) / 1000])
  func aStatementMayTakeLongerThanItsLock(seconds: Int) throws {
    let options = StoreOptions(lockTimeoutSeconds: seconds)
    let settings = LookUps.settings(options, until: .after(seconds: Int64(max(seconds, 10))))
    let milliseconds = settings.parameters[0...1].compactMap { parameter in
      if case .text(let text) = parameter { Int32(text) } else { nil }
    }
    try #require(milliseconds.count == 2)
    #expect(milliseconds[0] > 0)
    #expect(milliseconds[1] > milliseconds[0])
  }
}
