import CreditServer
import Testing

struct DeadlineTests {
  @Test func isPastOnceItsTimeHasCome() {
    #expect(Deadline.after(milliseconds: 0).isPast)
    #expect(Deadline.after(seconds: -1).isPast)
    #expect(!Deadline.after(seconds: 3600).isPast)
  }

  @Test func neverComesIfItIsTooFarAway() {
    #expect(Deadline.after(seconds: .max).milliseconds == nil)
    #expect(Deadline.after(milliseconds: .max).milliseconds == nil)
    #expect(!Deadline.never.isPast)
  }
}
