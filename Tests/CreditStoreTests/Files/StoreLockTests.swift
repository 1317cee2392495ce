import CreditSystem
import Foundation
import Testing

@testable import CreditStore
@testable import TestSupport

@Suite(.serialized)
struct StoreLockTests {
  @Test func oneWriterOrManyReaders() throws {
    let store = try TemporaryStore()
    let first = try StoreLock(in: store.directory, .updateOrCreate)
    let second = try StoreLock(in: store.directory, .read)
    try first.holding(.exclusive) {
      #expect(throws: StoreFault.locked) { try second.holding(.shared) {} }
    }
    try second.holding(.shared) {
      #expect(throws: Never.self) { try first.holding(.shared) {} }
      #expect(throws: StoreFault.locked) { try first.holding(.exclusive) {} }
    }
  }

  @Test func theLockIsGivenUpAlsoByWhatThrows() throws {
    let store = try TemporaryStore()
    let first = try StoreLock(in: store.directory, .updateOrCreate)
    let second = try StoreLock(in: store.directory, .updateOrCreate)
    #expect(throws: StoreFault.marked(reason: "")) {
      try first.withLock(.exclusive, waitMilliseconds: 0) { () throws(StoreFault) in
        throw .marked(reason: "")
      }
    }
    try second.holding(.exclusive) {}
  }

  @Test func theWaitIsBounded() throws {
    let store = try TemporaryStore()
    let first = try StoreLock(in: store.directory, .updateOrCreate)
    let second = try StoreLock(in: store.directory, .updateOrCreate)
    try first.holding(.exclusive) {
      for wait in [1, 30, 80] {
        let start = ContinuousClock.now
        #expect(throws: StoreFault.locked) { try second.holding(.exclusive, wait) {} }
        let waited = ContinuousClock.now - start
        #expect(waited >= .milliseconds(wait))
        #expect(waited < .milliseconds(wait + 5000))
      }
    }
  }

  @Test(arguments: [20_000, 9_223_372_036_854_775_000, .max])
  func aLockThatIsGivenUpIsTaken(wait: Int) throws {
    let store = try TemporaryStore()
    let second = try StoreLock(in: store.directory, .updateOrCreate)
    let path = store.directory.path
    let isHeld = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let directory = StoreDirectory(path: path, system: PosixSystem())
      let first = try? StoreLock(in: directory, .updateOrCreate)
      try? first?.holding(.exclusive) {
        isHeld.signal()
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
    isHeld.wait()
    try second.holding(.exclusive, wait) {}
  }

  @Test func theMarkStays() throws {
    let store = try TemporaryStore()
    let lock = try StoreLock(in: store.directory, .updateOrCreate)
    #expect(try lock.isMarked == false)
    #expect(try lock.markedReason() == nil)
    try lock.mark("sync journal.jsonl: Input/output error")
    let other = try StoreLock(in: store.directory, .read)
    #expect(try other.isMarked)
    #expect(try other.markedReason() == "sync journal.jsonl: Input/output error")
    try lock.clearMark()
    #expect(try other.isMarked == false)
  }

  @Test func aReplacedLockFileIsNotTrusted() throws {
    let store = try TemporaryStore()
    let lock = try StoreLock(in: store.directory, .updateOrCreate)
    try store.directory.removeFile(StoreLock.name)
    #expect(throws: StoreFault.lockReplaced) { try lock.holding(.shared) {} }
    let other = try StoreLock(in: store.directory, .updateOrCreate)
    #expect(throws: StoreFault.lockReplaced) { try lock.holding(.exclusive) {} }
    try other.holding(.exclusive) {}
  }
}

extension StoreLock {
  fileprivate func holding(
    _ mode: LockMode, _ waitMilliseconds: Int = 0, _ body: () -> Void
  ) throws(StoreFault) {
    try withLock(mode, waitMilliseconds: waitMilliseconds) { () throws(StoreFault) in body() }
  }
}
