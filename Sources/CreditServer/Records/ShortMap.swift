/// Values by keys, which are few where a batch is of one request. Few are found by comparing: to
/// hash a name takes as long as a dozen comparisons.
struct ShortMap<Key: Hashable, Value> {
  /// In the order in which they were added.
  private(set) var entries: [(key: Key, value: Value)] = []
  /// The place of each key's entry, once there are more than a few.
  private var places: [Key: Int] = [:]

  /// How many are a few.
  private static var shortCount: Int { 8 }

  var keys: [Key] { entries.map { $0.key } }
  var values: [Value] { entries.map { $0.value } }

  /// The value of a key's place.
  subscript(place: Int) -> Value {
    get { entries[place].value }
    _modify { yield &entries[place].value }
  }

  func place(of key: Key) -> Int? {
    if entries.count > Self.shortCount { return places[key] }
    for place in entries.indices where entries[place].key == key { return place }
    return nil
  }

  /// Adds a key that is not there yet.
  /// - Returns: its place.
  @discardableResult
  mutating func append(_ key: Key, _ value: Value) -> Int {
    let place = entries.count
    if place == 0 { entries.reserveCapacity(2) }
    entries.append((key, value))
    if entries.count > Self.shortCount {
      for place in places.count...place { places[entries[place].key] = place }
    }
    return place
  }
}

extension ShortMap where Value == Void {
  mutating func insert(_ key: Key) {
    if place(of: key) == nil { append(key, ()) }
  }
}
