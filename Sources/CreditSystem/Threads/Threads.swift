internal import CLibrary

/// A thread that does one piece of work at a time, while its owner continues.
///
/// Another thread may do work that has not begun. A piece of work has the sole use of its data from
/// ``start(_:)`` until ``wait()`` has returned, or ``isBusy`` is false.
public final class WorkerThread {
  private let state = State()
  private var thread: pthread_t?

  /// Shared by all threads: read and written in the monitor only.
  private final class State: @unchecked Sendable {
    let monitor = Monitor()
    var work: (() -> Void)?
    var isBegun = false
    var isEnding = false

    private var canBegin: Bool { work != nil && !isBegun }

    /// Does work until told to end.
    func run() { while let work = next() { complete(work) } }

    private func next() -> (() -> Void)? {
      monitor.locked {
        monitor.wait { canBegin || isEnding }
        return begin()
      }
    }

    /// Does the work that there is, unless a thread has begun it.
    func help() { if let work = monitor.locked({ begin() }) { complete(work) } }

    private func begin() -> (() -> Void)? {
      guard canBegin else { return nil }
      isBegun = true
      return work
    }

    private func complete(_ work: () -> Void) {
      work()
      change { state in
        state.work = nil
        state.isBegun = false
      }
    }

    func change(_ body: (State) -> Void) {
      monitor.locked { body(self) }
      monitor.tell()
    }
  }

  /// Starts no thread: that comes with the first work.
  public init() {}

  deinit {
    wait()
    guard let thread else { return }
    state.change { $0.isEnding = true }
    pthread_join(thread, nil)
  }

  /// Gives the thread some work after its previous work. If the system has no thread, does the work
  /// here.
  public func start(_ work: @escaping () -> Void) {
    wait()
    if thread == nil { thread = makeThread() }
    guard thread != nil else { return work() }
    state.change { $0.work = work }
  }

  public var isBusy: Bool { state.monitor.locked { state.work != nil } }

  /// Does the work on the calling thread, if it has not begun: most likely the system has no
  /// processor for it, and the caller has one.
  public func help() { state.help() }

  public func wait() {
    help()
    state.monitor.locked { state.monitor.wait { state.work == nil } }
  }

  private func makeThread() -> pthread_t? {
    if addressesAreLimited() { return nil }
    let argument = Unmanaged.passRetained(state).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let status = pthread_create(
      &thread, nil,
      { argument in
        // Not every C library says that it is not null.
        let state: UnsafeMutableRawPointer? = argument
        if let state { Unmanaged<State>.fromOpaque(state).takeRetainedValue().run() }
        return nil
      }, argument)
    if status == 0 { return thread }
    Unmanaged<State>.fromOpaque(argument).release()
    return nil
  }
}

/// Returns true if the process's address space is limited (`ulimit -v`).
///
/// The C library reserves 128 MB of addresses for a thread's allocations. Without them its fallback
/// soon runs out.
private func addressesAreLimited() -> Bool {
  #if canImport(Glibc)
    var limit = rlimit()
    let status = getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    return status == 0 && limit.rlim_cur != .max
  #else
    return false
  #endif
}

/// Protects state that threads share, and lets them wait for its changes.
final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Waits until a condition holds. The caller is in ``locked(_:)``, which others enter meanwhile.
  func wait(until condition: () -> Bool) {
    while !condition() { pthread_cond_wait(changed, mutex) }
  }

  /// Has those who wait look again, after ``locked(_:)``: they need its mutex.
  func tell() { pthread_cond_broadcast(changed) }
}

/// Tickets with numbers, which threads take one after another and use in the same order.
///
/// A number's turn comes when those of all previous numbers have been passed. If no thread waits
/// for a turn, none need be passed.
public final class Tickets: @unchecked Sendable {
  private let monitor = Monitor()
  private var taken = 0
  private var turn = 0

  public init() {}

  /// The next number, from 0 on.
  public func take() -> Int {
    monitor.locked {
      taken += 1
      return taken - 1
    }
  }

  /// Returns when the turn of a number has come: those of all previous numbers have been passed.
  public func wait(for number: Int) { monitor.locked { monitor.wait { turn == number } } }

  public func pass() {
    monitor.locked { turn += 1 }
    monitor.tell()
  }
}
