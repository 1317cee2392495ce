/// Numbers that a seed determines (SplitMix64), the same on every machine.
struct SeededGenerator: RandomNumberGenerator, Equatable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  /// True one time in `count`.
  mutating func once(in count: Int) -> Bool { number(below: count) == 0 }

  mutating func number(below limit: Int) -> Int {
    Int(truncatingIfNeeded: next() % UInt64(truncatingIfNeeded: limit))
  }

  mutating func pick<Value>(_ values: Value...) -> Value { values[number(below: values.count)] }
}
