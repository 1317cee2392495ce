import CreditSystem
import Testing

struct TurnsTests {
  /// Notes of two threads in their turns.
  private final class Notes: @unchecked Sendable {
    var numbers: [Int] = []
  }

  @Test func eachNumberHasItsTurn() {
    let turns = Turns()
    let notes = Notes()
    let count = 5_000
    @Sendable func work() {
      while true {
        let number = turns.take()
        turns.wait(for: number)
        if number < count { notes.numbers.append(number) }
        turns.pass()
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
