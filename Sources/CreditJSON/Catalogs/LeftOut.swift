import CreditModel

/// Why an entry of a file is left out of the catalog made of it.
struct LeftOut: Error, Equatable, CustomStringConvertible {
  let description: String

  private init(_ description: String) {
    self.description = description
  }

  static let notAModel = LeftOut("no model")
  static let unusableID = LeftOut("an id that is empty, too long or has control characters")
  static let repeated = LeftOut("an id that stands in the file again")
  static let noPrice = LeftOut("no price")
  static let tieredTable = LeftOut("a table of price ranges in place of a price")
  static let noInput = LeftOut("no input price")
  static let noOutput = LeftOut("no output price, and no embedding")
  static let zero = LeftOut("a price of 0")
  static let unreadable = LeftOut("a price that is no decimal number of 0 or more")
  static let tooFine = LeftOut("more digits or tiers than a catalog keeps")
  static let past = LeftOut("a price of the past")
  static let notConsumable = LeftOut("a product that is not consumable")
  static let noCredits = LeftOut("a consumable without --product-credits")

  /// A price by something that isn't counted in tokens, such as an image.
  static func priced(by unit: String) -> LeftOut {
    LeftOut("a price by the \(plainOrQuoted(unit)), not by the token")
  }
}
