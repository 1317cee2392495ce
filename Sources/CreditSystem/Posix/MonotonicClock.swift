internal import CLibrary

/// The clock that waiting is counted by: nobody sets it.
package enum MonotonicClock {
  package static var nanoseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  package static var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
