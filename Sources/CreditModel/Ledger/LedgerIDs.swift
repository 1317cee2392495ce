// The ids that the tools make.
extension Ledger {
  /// A new id for what is about to be recorded of an account.
  ///
  /// Under a simulated clock it follows from the account's name, the number of its records and the
  /// time alone, so that the same script prints the same transcript twice.
  func newID(for account: Account) throws(CreditError) -> Name {
    if !policy.clockIsSimulated { return makeID(account.updatedAt) }
    // Somebody may have chosen that id, or an account have been renamed with its records.
    var attempt: UInt64 = 0
    while true {
      let id = SimulatedID.name(for: account, attempt: attempt)
      if try !isTaken(id) { return id }
      attempt += 1
    }
  }

  private func isTaken(_ id: Name) throws(CreditError) -> Bool {
    do {
      if try books.authorization(id) != nil { return true }
      return try books.transaction(id) != nil
    } catch {
      // It was that of an account that has been removed.
      if error.code == .idempotencyConflict { return true }
      throw error
    }
  }
}

/// Ids that follow from an account. Whoever knows it can tell them beforehand: they are for
/// simulations.
enum SimulatedID {
  /// The id of the account's next record.
  /// - Parameter attempt: another one gives another id.
  static func name(for account: Account, attempt: UInt64) -> Name {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    // FNV-1a over the name; each number is then mixed in whole.
    for byte in account.name.text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for number in [UInt64(bitPattern: account.recordCount), attempt] {
      hash = mixed(hash ^ mixed(number))
    }
    return UUIDText.name(at: account.updatedAt, mixed(hash), hash)
  }

  /// A bijection that lets each bit change all others (the step of SplitMix64: Steele, Lea and
  /// Flood).
  private static func mixed(_ word: UInt64) -> UInt64 {
    var word = word &+ 0x9e37_79b9_7f4a_7c15
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }
}
