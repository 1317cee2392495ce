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
