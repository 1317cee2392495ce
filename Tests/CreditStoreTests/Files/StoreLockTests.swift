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
    try first.acquire(.exclusive, waitMilliseconds: 0)
    #expect(throws: StoreFault.locked) { try second.acquire(.shared, waitMilliseconds: 0) }
    first.release()
    try second.acquire(.shared, waitMilliseconds: 0)
    try first.acquire(.shared, waitMilliseconds: 0)
    #expect(throws: StoreFault.locked) { try first.acquire(.exclusive, waitMilliseconds: 0) }
  }

  @Test func theWaitIsBounded() throws {
    let store = try TemporaryStore()
    let first = try StoreLock(in: store.directory, .updateOrCreate)
    let second = try StoreLock(in: store.directory, .updateOrCreate)
    try first.acquire(.exclusive, waitMilliseconds: 0)
    for wait in [1, 30, 80] {
      let start = ContinuousClock.now
      #expect(throws: StoreFault.locked) { try second.acquire(.exclusive, waitMilliseconds: wait) }
      let waited = ContinuousClock.now - start
      #expect(waited >= .milliseconds(wait))
      #expect(waited < .milliseconds(wait + 5000))
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
      try? first?.acquire(.exclusive, waitMilliseconds: 0)
      isHeld.signal()
      Thread.sleep(forTimeInterval: 0.05)
      first?.release()
    }
    isHeld.wait()
    try second.acquire(.exclusive, waitMilliseconds: wait)
    second.release()
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
    #expect(throws: StoreFault.lockReplaced) { try lock.acquire(.shared, waitMilliseconds: 0) }
    let other = try StoreLock(in: store.directory, .updateOrCreate)
    #expect(throws: StoreFault.lockReplaced) { try lock.acquire(.exclusive, waitMilliseconds: 0) }
    try other.acquire(.exclusive, waitMilliseconds: 0)
  }
}
