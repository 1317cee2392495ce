/// Check that an account's lines, in any order, follow one another without a gap.
///
/// Each line but the first must begin with the balance that another ended with. Sums of hashes
/// tell, in constant memory.
struct BalanceChain {
  private var hashes: UInt64 = 0
  private var credits: Int128 = 0

  /// Adds a line that counts.
  mutating func add(_ line: ReportLine) {
    let after = Int128(line.balance)
    credits += Int128(line.credits)
    hashes &+= Self.hash(after) &- Self.hash(after - Int128(line.credits))
  }

  /// Returns true if the lines are complete up to a balance.
  ///
  /// The balance before the first line may be any.
  func leads(to balance: Int64) -> Bool {
    let last = Int128(balance)
    return hashes == Self.hash(last) &- Self.hash(last - credits)
  }

  /// SplitMix64: other balances have other hashes, which sum to the same by chance only.
  private static func hash(_ balance: Int128) -> UInt64 {
    var word = UInt64(truncatingIfNeeded: balance) &+ 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
