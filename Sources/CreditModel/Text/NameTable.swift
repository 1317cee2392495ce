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

  /// Returns the number of a name; nil if it was not added.
  package func number(of name: Name) -> Int? {
    name.text.withUTF8Bytes { number(of: $0) }
  }

  /// Returns the number of a name given as bytes; nil if it was not added.
  package func number(of name: UnsafeRawBufferPointer) -> Int? {
    if names.isEmpty { return nil }
    let number = places[place(of: name)] - 1
    return number < 0 ? nil : number
  }

  /// Adds a name under the next number.
  /// - Returns: false if it was there already.
  package mutating func add(_ name: Name) -> Bool { enter(name).isNew }

  /// Finds a name's number; a name that was not there is added under the next one.
  package mutating func enter(_ name: Name) -> (number: Int, isNew: Bool) {
    if 2 * names.count >= places.count { makePlaces(for: 2 * names.count) }
    let place = place(of: name)
    if places[place] != 0 { return (places[place] - 1, false) }
    names.append(name.text)
    places[place] = names.count
    return (names.count - 1, true)
  }

  /// Returns the place of a name, or the place it would have.
  private func place(of name: Name) -> Int {
    name.text.withUTF8Bytes { place(of: $0) }
  }

  private func place(of name: UnsafeRawBufferPointer) -> Int {
    let mask = places.count - 1
    var place = Int(truncatingIfNeeded: Self.hash(name)) & mask
    while places[place] != 0, !names[places[place] - 1].hasSameBytes(as: name) {
      place = (place + 1) & mask
    }
    return place
  }

  /// Another one in each process, so that nobody can choose names that meet.
  private static let seed = UInt64(truncatingIfNeeded: Hasher().finalize()) | 1

  /// A hash of a name's bytes, by multiplication, in the way of wyhash: a fifth of the instructions
  /// of `Hasher`. It is another one in each process.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 { hash(bytes, seed) }

  /// The hash that a process with this seed, an odd one, has.
  @inline(__always)
  static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
    let factor = 0x9E37_79B9_7F4A_7C15 ^ seed << 1
    // As many bits as a word, so that no letters make up for a length.
    var hash = seed &+ UInt64(truncatingIfNeeded: bytes.count) &* 0xD6E8_FEB8_6659_FD93
    func mix(_ word: UInt64) {
      let product = (hash ^ word).multipliedFullWidth(by: factor)
      hash = product.high ^ product.low &+ seed
    }
    guard let base = bytes.baseAddress, bytes.count > 0 else { return hash }
    // The last words may overlap those before them.
    let count = bytes.count
    if count >= 8 {
      var index = 0
      while index &+ 8 < count {
        mix((base + index).loadUnaligned(as: UInt64.self))
        index &+= 8
      }
      mix((base + (count &- 8)).loadUnaligned(as: UInt64.self))
    } else if count >= 4 {
      let first = UInt64(base.loadUnaligned(as: UInt32.self))
      mix(first << 32 | UInt64((base + (count &- 4)).loadUnaligned(as: UInt32.self)))
    } else {
      let first = UInt64(base.load(as: UInt8.self))
      let middle = UInt64((base + count >> 1).load(as: UInt8.self))
      mix(first << 16 | middle << 8 | UInt64((base + (count &- 1)).load(as: UInt8.self)))
    }
    return hash
  }

  /// Makes places for `count` names, and moves the present names to new ones.
  private mutating func makePlaces(for count: Int) {
    var placeCount = 8
    while placeCount < 2 * count { placeCount *= 2 }
    places = [Int](repeating: 0, count: placeCount)
    for (number, name) in names.enumerated() {
      places[place(of: Name(trusted: name))] = number + 1
    }
  }
}
