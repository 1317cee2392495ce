import CreditSystem
import Testing

struct WorkerThreadTests {
  /// What the thread and its owner use in turns.
  private final class Notes {
    var numbers: [Int] = []
  }

  @Test func workIsDoneInOrder() {
    let notes = Notes()
    let thread = WorkerThread()
    for number in 0..<100 { thread.start { notes.numbers.append(number) } }
    thread.wait()
    #expect(notes.numbers == Array(0..<100))
    thread.wait()
  }

  @Test func whatIsUnderWayIsDoneBeforeTheThreadGoes() {
    let notes = Notes()
    do {
      let thread = WorkerThread()
      thread.start { for number in 0..<1000 { notes.numbers.append(number) } }
    }
    #expect(notes.numbers.count == 1000)
  }

  @Test func aThreadWithoutWorkGoes() {
    _ = WorkerThread()
  }
}
