/// Which charge a line of the history corrects: `amend:ID:2`, or `amend:ID:2:old` where another
/// model takes the charge over.
package struct CorrectionReference: Hashable {
  package let charge: String
  /// From 1 on.
  package let number: Int64
  /// Whether the line only gives back what the model before took.
  package let isReturn: Bool

  /// - Returns: nil if the id is not a correction's.
  package init?(id: String) {
    guard id.hasPrefix("amend:") else { return nil }
    var rest = id.dropFirst(6)
    isReturn = rest.hasSuffix(":old")
    if isReturn { rest = rest.dropLast(4) }
    guard let colon = rest.lastIndex(of: ":"),
      let number = Int64(rest[rest.index(after: colon)...]),
      number > 0
    else { return nil }
    charge = String(rest[..<colon])
    self.number = number
  }
}
