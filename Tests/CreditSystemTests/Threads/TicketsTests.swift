import CreditSystem
import Testing

struct TicketsTests {
  /// Notes of two threads in their tickets.
  private final class Notes: @unchecked Sendable {
    var numbers: [Int] = []
  }

  @Test func eachNumberHasItsTurn() {
    let tickets = Tickets()
    let notes = Notes()
    let count = 5_000
    @Sendable func work() {
      while true {
        let number = tickets.take()
        tickets.wait(for: number)
        if number < count { notes.numbers.append(number) }
        tickets.pass()
        if number >= count { return }
      }
    }
    let thread = WorkerThread()
    thread.start { work() }
    work()
    thread.wait()
    #expect(notes.numbers == Array(0..<count))
  }
}
