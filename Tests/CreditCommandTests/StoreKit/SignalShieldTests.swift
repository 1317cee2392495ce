import Foundation
import Testing

@testable import CreditCommand

@Suite(.serialized) struct SignalShieldTests {
  /// Raises a signal behind a shield, and tells whether that counts.
  private func isHit(_ signal: Int32) -> Bool {
    // The threads that tests run in take none.
    var one = sigset_t()
    var before = sigset_t()
    sigemptyset(&one)
    sigaddset(&one, signal)
    pthread_sigmask(SIG_UNBLOCK, &one, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let shield = SignalShield()
    defer { shield.lower() }
    raise(signal)
    return shield.isHit
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func signalThatEndsTheProcessWaits(number: Int32) {
    let before = signal(number) { _ in }
    defer { signal(number, before) }
    #expect(isHit(number))
  }

  /// As under nohup.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func ignoredSignalIsNone(number: Int32) {
    let before = signal(number, SIG_IGN)
    defer { signal(number, before) }
    #expect(!isHit(number))
  }
}
