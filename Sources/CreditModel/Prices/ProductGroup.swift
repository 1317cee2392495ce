/// A name for accounts that are shown the same products, and for the products that they alone are
/// shown: prices are tried out on some.
package enum ProductGroup {
  /// The most groups of a product.
  package static let countLimit = 64
  /// The word for no group.
  package static let none = "none"

  /// Describes what is wrong with a name, to follow its subject in a message. Nil if it is valid.
  package static func problem(with name: String) -> String? { SpendLimit.problem(withID: name) }
}
