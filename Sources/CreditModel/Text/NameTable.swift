/// Numbers names from 0 in the order in which they are added, and finds the number of each.
///
/// It does what a dictionary would, but the first dictionary of a process costs more than all else
/// in a request does: the runtime searches the whole program for how its keys are hashed.
package struct NameTable: Sendable {
  private var names: [String] = []
  /// Open addressing: the place that a name's hash leads to, or one soon after it, has one more
  /// than its number. A place that has 0 is free; at least half of them are.
  private var places: [Int] = []

  /// - Parameter capacity: how many names are expected.
  package init(capacity: Int = 0) {
    if capacity > 0 { makePlaces(for: capacity) }
  }

  /// The number of a name; nil where it was not added.
  package func number(of name: Name) -> Int? {
    if names.isEmpty { return nil }
    let number = places[place(of: name)] - 1
    return number < 0 ? nil : number
  }

  /// Adds a name under the next number.
  /// - Returns: false where it was there already.
  package mutating func add(_ name: Name) -> Bool {
    if 2 * names.count >= places.count { makePlaces(for: 2 * names.count) }
    let place = place(of: name)
    guard places[place] == 0 else { return false }
    names.append(name.text)
    places[place] = names.count
    return true
  }

  /// Where a name stands, or would.
  private func place(of name: Name) -> Int {
    let mask = places.count - 1
    var hasher = Hasher()
    name.hash(into: &hasher)
    var place = hasher.finalize() & mask
    while places[place] != 0, Name(trusted: names[places[place] - 1]) != name {
      place = (place + 1) & mask
    }
    return place
  }

  /// Makes places for so many names, and gives those that are there new ones.
  private mutating func makePlaces(for count: Int) {
    var placeCount = 8
    while placeCount < 2 * count { placeCount *= 2 }
    places = [Int](repeating: 0, count: placeCount)
    for (number, name) in names.enumerated() {
      places[place(of: Name(trusted: name))] = number + 1
    }
  }
}
