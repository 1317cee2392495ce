import CreditModel

/// Why an entry of a file, one of its prices or one of its names is left out of the catalog made of
/// it.
struct LeftOut: Error, Equatable, CustomStringConvertible {
  let description: String

  private init(_ description: String) {
    self.description = description
  }

  static let notAModel = LeftOut("no model")
  static let unusableID = LeftOut("an id that is empty, too long or has control characters")
  static let repeated = LeftOut("an id that the file has twice")
  static let noPrice = LeftOut("no price")
  static let tieredTable = LeftOut("a table of price ranges that are not of input tokens")
  static let noInput = LeftOut("no input price")
  static let noOutput = LeftOut("no output price, and no embedding")
  static let zero = LeftOut("a price of 0")
  static let unreadable = LeftOut("a price that is no decimal number of 0 or more")
  static let tooFine = LeftOut("more digits or tiers than a catalog keeps")
  static let past = LeftOut("a price of the past")
  static let reasoningApart = LeftOut("reasoning that is priced apart from output")
  static let timeOfDay = LeftOut("a price by the time of day")
  static let searchSize = LeftOut("a price of searches by the size of their context")
  static let notConsumable = LeftOut("a product that is not consumable")
  static let noCredits = LeftOut("a consumable without --product-credits")

  /// A price by something that isn't counted in tokens, such as an image.
  static func priced(by unit: String) -> LeftOut {
    LeftOut("a price by the \(plainOrQuoted(unit)), not by the token")
  }

  /// A price of what a catalog has no member for.
  static func price(of member: String) -> LeftOut {
    LeftOut("a price that no catalog has, \(plainOrQuoted(member))")
  }

  /// A further price list of a model, such as one for batches.
  static func variant(_ name: String) -> LeftOut {
    LeftOut("a price list of the variant \(plainOrQuoted(name))")
  }

  /// A name that is found by a rule, such as what it starts with.
  static func rule(_ kind: String) -> LeftOut {
    LeftOut("a rule of the form \(plainOrQuoted(kind)), where a catalog has whole names")
  }

  /// A name that two models have.
  static let takenName = LeftOut("a name that another model has, at another price")
}
