internal import CreditModel
internal import CreditStore

/// Makes UUIDs of version 7 (RFC 9562): 48 bits of milliseconds, then random bits, so that ids sort by
/// time and never meet.
final class UUIDMaker {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  init(seededBy system: any SystemCalls) {
    // A state of zero would only ever make zeros.
    state = (system.randomWord(), system.randomWord(), system.randomWord(), system.randomWord() | 1)
  }

  func make(at time: Timestamp) -> Name {
    let milliseconds = UInt64(clamping: time.milliseconds) & 0xffff_ffff_ffff
    let high = milliseconds << 16 | 0x7000 | (random() & 0x0fff)
    let low = 0x8000_0000_0000_0000 | (random() >> 2)
    return Name(trusted: Self.text(high, low))
  }

  private static func text(_ high: UInt64, _ low: UInt64) -> String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var index = 0
      for position in 0..<32 {
        if position == 8 || position == 12 || position == 16 || position == 20 {
          buffer[index] = UInt8(ascii: "-")
          index += 1
        }
        let word = position < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - position % 16 * 4)) & 15
        buffer[index] = digit < 10 ? 48 + digit : 87 + digit
        index += 1
      }
      return 36
    }
  }

  /// The next word of xoshiro256** (Blackman and Vigna).
  private func random() -> UInt64 {
    let word = rotated(state.1 &* 5, by: 7) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = rotated(state.3, by: 45)
    return word
  }

  private func rotated(_ word: UInt64, by count: UInt64) -> UInt64 {
    word << count | word >> (64 - count)
  }
}
