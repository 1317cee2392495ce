internal import CLibrary

/// Numbers that threads take one after another, and turns that come in the same order.
///
/// A number's turn comes when those of all numbers before it have been passed. Where nobody waits
/// for a turn, none need be passed.
package final class Turns: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var taken = 0
  private var turn = 0

  package init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// The next number, from 0 on.
  package func take() -> Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    taken += 1
    return taken - 1
  }

  /// Returns when the turn of a number has come: those of all numbers before it have been passed.
  package func wait(for number: Int) {
    pthread_mutex_lock(mutex)
    while turn != number { pthread_cond_wait(changed, mutex) }
    pthread_mutex_unlock(mutex)
  }

  /// Passes the turn to the next number.
  package func pass() {
    pthread_mutex_lock(mutex)
    turn += 1
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
  }
}
