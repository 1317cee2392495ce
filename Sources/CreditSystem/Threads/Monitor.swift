internal import CLibrary

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

  /// Has those who wait look again. The caller is in ``locked(_:)``.
  func tell() { pthread_cond_broadcast(changed) }
}

/// Numbers that threads take one after another, and turns in the same order.
///
/// A number's turn comes when those of all previous numbers have been passed. If no thread waits
/// for a turn, none need be passed.
package final class Turns: @unchecked Sendable {
  private let monitor = Monitor()
  private var taken = 0
  private var turn = 0

  package init() {}

  /// The next number, from 0 on.
  package func take() -> Int {
    monitor.locked {
      taken += 1
      return taken - 1
    }
  }

  /// Returns when the turn of a number has come: those of all previous numbers have been passed.
  package func wait(for number: Int) {
    monitor.locked { monitor.wait { turn == number } }
  }

  /// Passes the turn to the next number.
  package func pass() {
    monitor.locked {
      turn += 1
      monitor.tell()
    }
  }
}
