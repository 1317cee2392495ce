/// What a whole check of a store came to.
package struct StoreSummary {
  package var records = 0
  package var accounts = 0
  /// The sum of all balances.
  package var credits: Int128 = 0
  package var bytes = 0
}
