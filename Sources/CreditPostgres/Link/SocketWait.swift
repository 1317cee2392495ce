#if Postgres
  internal import CreditServer
  internal import CreditSystem

  extension Int32 {
    /// True if bytes have come to this socket, or its end.
    var isReadable: Bool {
      (try? Readiness.reading.wait(on: self, until: MonotonicClock.milliseconds)) ?? false
    }

    /// Waits until this socket of libpq's is ready.
    /// - Throws: ``ServerFault/timedOut``, or ``ServerFault/lost(_:)`` if there is no socket.
    func wait(_ readiness: Readiness, until deadline: Deadline) throws(ServerFault) {
      guard self >= 0 else { throw .lost("the connection is closed") }
      let isReady: Bool
      do {
        isReady = try readiness.wait(on: self, until: deadline.milliseconds)
      } catch {
        throw .lost("\(error)")
      }
      if !isReady { throw .timedOut }
    }
  }
#endif
