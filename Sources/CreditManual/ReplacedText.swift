extension String {
  /// The text with another in the place of a character. (The standard way is a part of the regular
  /// expressions, which are left out of `Sources`.)
  func replacing(_ character: Character, with text: String) -> String {
    reduce(into: "") { $0 += $1 == character ? text : String($1) }
  }
}
