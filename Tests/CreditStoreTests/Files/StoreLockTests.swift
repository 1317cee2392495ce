import CreditModel
import Foundation
import Testing

@testable import CreditStore
@testable import CreditSystem
@testable import TestSupport

@Suite(.serialized)
struct StoreLockTests {
  @Test func oneWriterOrManyReaders() throws {
    let store = try TemporaryStore()
    let first = try StoreLock(in: store.directory, .updateOrCreate)
    let second = try StoreLock(in: store.directory, .read)
    try first.holding(.exclusive) {
      #expect(throws: StoreFault.locked(by: nil)) { try second.holding(.shared) {} }
    }
    try second.holding(.shared) {
      #expect(throws: Never.self) { try first.holding(.shared) {} }
      #expect(throws: StoreFault.locked(by: nil)) { try first.holding(.exclusive) {} }
    }
  }

  @Test func theLockIsReleasedAfterAnError() throws {
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

  @Test func theHolderIsFoundInTheListOfLocks() throws {
    let locks = Array(
      """
      1: POSIX  ADVISORY  WRITE 11 08:01:131075 0 EOF
      2: FLOCK  ADVISORY  WRITE 12 08:02:131075 0 EOF
      3: FLOCK  ADVISORY  READ  4711 103:10:131075 0 EOF
      3: -> FLOCK  ADVISORY  WRITE 13 103:10:131076 0 EOF
      4: FLOCK  ADVISORY  WRITE -1 00:2f:9 0 EOF
      5: FLOCK  ADVISORY
      """.utf8)
    func holder(_ device: UInt64, _ inode: UInt64) -> Int32? {
      lockingProcess(of: FileStatus.Identity(device: device, inode: inode), in: locks)
    }
    #expect(holder(0x802, 131_075) == 12)
    #expect(holder(0x1_0310, 131_075) == 4711)
    #expect(holder(0x1_0310, 131_076) == nil)
    #expect(holder(0x801, 131_075) == nil)
    #expect(holder(0x2F, 9) == nil)
    let status = Array("7 (a ) (b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4242 20".utf8)
    #expect(startTicks(in: status) == 4242)
    #expect(startTicks(in: Array("7 (a) S 1".utf8)) == nil)
    #expect(bootMilliseconds(in: Array("cpu 1 2\nbtime 1700000000\n".utf8)) == 1_700_000_000_000)
    #expect(bootMilliseconds(in: Array("btime x\n".utf8)) == nil)
  }

  @Test func aLockedStoreNamesItsHolder() {
    let holder = LockHolder(
      process: 4711, command: "credit-charge", startMilliseconds: 1_771_495_200_000)
    let error = CreditError(StoreFault.locked(by: holder))
    #expect(
      error.message == "the store is locked by credit-charge (process 4711, running since "
        + "2026-02-19T10:00:00.000Z); try again")
    #expect(error.code == .storeLocked)
    #expect(CreditError(StoreFault.locked(by: nil)).details.isEmpty)
  }

  @Test func theWaitIsBounded() throws {
    let store = try TemporaryStore()
    let first = try StoreLock(in: store.directory, .updateOrCreate)
    let second = try StoreLock(in: store.directory, .updateOrCreate)
    try first.holding(.exclusive) {
      for wait in [1, 30, 80] {
        let start = ContinuousClock.now
        #expect(throws: StoreFault.locked(by: nil)) { try second.holding(.exclusive, wait) {} }
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
