import CreditSystem
import Testing

struct WorkerThreadTests {
  /// State that the thread and its owner use in turns.
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

  /// Only the first thread does a piece of work.
  @Test func othersHelp() {
    let notes = Notes()
    let thread = WorkerThread()
    let helper = WorkerThread()
    helper.start { for _ in 0..<200_000 { thread.help() } }
    for number in 0..<20_000 {
      thread.start { notes.numbers.append(number) }
      if number % 3 == 0 { thread.help() }
    }
    thread.wait()
    #expect(notes.numbers == Array(0..<20_000))
    helper.wait()
    thread.help()
    #expect(notes.numbers.count == 20_000)
  }

  @Test func currentWorkIsDoneBeforeTheThreadEnds() {
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
