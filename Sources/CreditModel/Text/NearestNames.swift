/// Finds the names that look most like one that was not found, to name in a message. Never to
/// choose.
package enum NearestNames {
  /// How many names a message may list.
  static let limit = 3

  /// The nearest names by edits between them, at most a third of the length away, nearest first.
  package static func find(_ name: Name, among candidates: [Name]) -> [Name] {
    let target = Array(name.text.utf8.prefix(Name.idLimit))
    let ranked = candidates.compactMap { candidate -> (distance: Int, name: Name)? in
      let other = Array(candidate.text.utf8)
      let reach = max(2, max(target.count, other.count) / 3)
      guard abs(target.count - other.count) <= reach else { return nil }
      let distance = distance(target, other)
      return distance <= reach ? (distance, candidate) : nil
    }
    let sorted = ranked.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
    var nearest: [Name] = []
    for entry in sorted where nearest.count < limit && !nearest.contains(entry.name) {
      nearest.append(entry.name)
    }
    return nearest
  }

  /// The edit distance (Levenshtein), one row at a time.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, leftByte) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, rightByte) in right.enumerated() {
        let substitution = diagonal + (leftByte == rightByte ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[right.count]
  }
}
