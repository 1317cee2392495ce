internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// Makes UUIDs of version 7 with random bits, so that ids sort by time and never meet.
final class UUIDMaker {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  init(seededBy system: any SystemCalls) {
    // A state of zero would only ever make zeros.
    state = (system.randomWord(), system.randomWord(), system.randomWord(), system.randomWord() | 1)
  }

  func make(at time: Timestamp) -> Name {
    UUIDText.name(at: time, random(), random())
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
