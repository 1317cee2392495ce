import CreditModel
import Testing

extension Name: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(trusted: value)
  }
}

/// A time from its text; a text that isn't one is the test's own mistake and shows as 1970.
func time(_ text: String) -> Timestamp {
  guard let time = Timestamp(text: text) else {
    Issue.record("\(text) is no time")
    return Timestamp(milliseconds: 0)
  }
  return time
}

/// A decimal from its text, likewise.
func decimal(_ text: String) -> ExactDecimal {
  guard let decimal = ExactDecimal(text: text) else {
    Issue.record("\(text) is no decimal")
    return .zero
  }
  return decimal
}

/// What `body` throws.
func failure<Value>(_ body: () throws(CreditError) -> Value) -> CreditError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

/// A sequence of random numbers that a seed decides (SplitMix64), the same on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return bits ^ (bits >> 31)
  }

  /// True once in so many times.
  mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  mutating func pick<Element>(_ elements: Element...) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }
}
