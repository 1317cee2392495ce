/// The balances of many accounts, summed. What customers may still use and what they owe are never
/// netted.
package struct BalanceTotal: Hashable, Sendable {
  package private(set) var count = 0
  /// The balances above 0.
  package private(set) var owedToCustomers: Int128 = 0
  /// The debts, as a number that is not negative.
  package private(set) var owedByCustomers: Int128 = 0

  package init() {}

  package mutating func add(_ balance: Credits) {
    count += 1
    owedToCustomers += Int128(max(0, balance))
    owedByCustomers -= Int128(min(0, balance))
  }

  package var balance: Int128 { owedToCustomers - owedByCustomers }
}
