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
