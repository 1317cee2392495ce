internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// Makes UUIDs of version 7 (RFC 9562): 48 bits of milliseconds, then random bits, so that ids sort
/// by time and never meet.
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
    withUnsafeTemporaryAllocation(byteCount: 36, alignment: 8) { text in
      // Eight digits at a time, of which the later four may be moved on behind a dash.
      func put(_ bits: UInt64, at first: Int, _ second: Int) {
        let digits = Hexadecimal.digits(UInt32(truncatingIfNeeded: bits))
        let (early, late) = (
          UInt32(truncatingIfNeeded: digits >> 32), UInt32(truncatingIfNeeded: digits)
        )
        text.storeBytes(of: early.bigEndian, toByteOffset: first, as: UInt32.self)
        text.storeBytes(of: late.bigEndian, toByteOffset: second, as: UInt32.self)
      }
      put(high >> 32, at: 0, 4)
      put(high, at: 9, 14)
      put(low >> 32, at: 19, 24)
      put(low, at: 28, 32)
      text[8] = UInt8(ascii: "-")
      text[13] = UInt8(ascii: "-")
      text[18] = UInt8(ascii: "-")
      text[23] = UInt8(ascii: "-")
      return String(decoding: text, as: UTF8.self)
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
