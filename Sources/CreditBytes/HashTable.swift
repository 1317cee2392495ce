internal import CShims

/// Numbers by 64-bit hashes, in open addressing with linear probing.
///
/// This is the suite's only hash table in memory; `IndexTables` is that of the index on disk. It
/// stores no keys: the caller keeps them in an array and compares them, as two keys may have one
/// hash. Off the hot paths a dictionary does as well. A process's first dictionary would cost more
/// than the rest of a request: the runtime searches the whole program for the hashing of its keys.
public struct HashTable: ~Copyable, @unchecked Sendable {
  /// A hash with its number plus one; 0 in a free place.
  @usableFromInline
  struct Place {
    @usableFromInline var hash: UInt64
    @usableFromInline var stored: UInt64
  }

  @usableFromInline var places: UnsafeMutablePointer<Place>
  @usableFromInline var mask: Int
  /// The most numbers before it grows; 0 if it has no memory of its own.
  @usableFromInline var limit: Int
  public private(set) var count = 0

  /// Larger tables become three quarters full, as memory matters then; others half full.
  private static let sparseCapacity = 1 << 20
  private static let leastCapacity = 8
  /// The places of all tables without a number.
  private nonisolated(unsafe) static let none = freePlaces(leastCapacity)

  /// - Parameter count: the expected number of entries. A table gets memory with the first one.
  public init(expecting count: Int = 0) {
    var capacity = Self.leastCapacity
    if count == 0 {
      (places, mask, limit) = (Self.none, capacity - 1, 0)
      return
    }
    while Self.limit(of: capacity) < count { capacity *= 2 }
    places = Self.freePlaces(capacity)
    mask = capacity - 1
    limit = Self.limit(of: capacity)
  }

  deinit {
    if limit > 0 { places.deallocate() }
  }

  private static func limit(of capacity: Int) -> Int {
    capacity > sparseCapacity ? capacity / 4 * 3 : capacity / 2
  }

  private static func freePlaces(_ count: Int) -> UnsafeMutablePointer<Place> {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: count)
    places.initialize(repeating: Place(hash: 0, stored: 0), count: count)
    return places
  }

  /// Returns the first number of a hash for which `matches` is true.
  @inlinable @inline(__always)
  public func find<Failure>(
    _ hash: UInt64, where matches: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int? {
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let place = places[index]
      if place.stored == 0 { return nil }
      if place.hash == hash {
        let number = Int(truncatingIfNeeded: place.stored &- 1)
        if try matches(number) { return number }
      }
      index = (index &+ 1) & mask
    }
  }

  /// Adds a number, which is not negative, beside others of its hash.
  @inline(__always)
  public mutating func insert(_ hash: UInt64, _ number: Int) {
    if count >= limit { grow() }
    var index = Int(truncatingIfNeeded: hash) & mask
    while places[index].stored != 0 { index = (index &+ 1) & mask }
    places[index] = Place(hash: hash, stored: UInt64(truncatingIfNeeded: number) &+ 1)
    count &+= 1
  }

  /// The number of a hash that is a key itself; nil removes it.
  public subscript(hash: UInt64) -> Int? {
    get { find(hash) { _ in true } }
    set {
      let index = index(of: hash)
      if let newValue {
        if places[index].stored == 0 { return insert(hash, newValue) }
        places[index].stored = UInt64(truncatingIfNeeded: newValue) &+ 1
      } else if places[index].stored != 0 {
        free(index)
      }
    }
  }

  private func index(of hash: UInt64) -> Int {
    var index = Int(truncatingIfNeeded: hash) & mask
    while places[index].stored != 0 && places[index].hash != hash { index = (index &+ 1) & mask }
    return index
  }

  /// Frees a place. Later entries move up, unless that is before the place where their search
  /// begins.
  private mutating func free(_ index: Int) {
    var free = index
    var next = (free &+ 1) & mask
    while places[next].stored != 0 {
      let distance = (next &- Int(truncatingIfNeeded: places[next].hash)) & mask
      if distance >= (next &- free) & mask {
        places[free] = places[next]
        free = next
      }
      next = (next &+ 1) & mask
    }
    places[free].stored = 0
    count -= 1
  }

  /// Removes everything. Keeps the memory, unless the entries needed far less.
  public mutating func removeAll() {
    if count == 0 { return }
    if mask < 64 || 16 * count > mask {
      places.update(repeating: Place(hash: 0, stored: 0), count: mask + 1)
      count = 0
    } else {
      self = HashTable(expecting: count)
    }
  }

  @inline(never)
  mutating func grow() {
    var larger = HashTable(expecting: limit + 1)
    visit { larger.insert($0, $1) }
    self = larger
  }

  /// Calls `body` with every hash and number, in the order of the hashes' low bits.
  public func visit(_ body: (_ hash: UInt64, _ number: Int) -> Void) {
    for index in 0...mask where places[index].stored != 0 {
      body(places[index].hash, Int(truncatingIfNeeded: places[index].stored &- 1))
    }
  }

  /// Lets the processor fetch the place at which the search for a hash begins.
  @inline(__always)
  public func prefetch(_ hash: UInt64) {
    CShims.prefetch(places + (Int(truncatingIfNeeded: hash) & mask))
  }

  /// Differs in each process, so that users cannot choose names with equal hashes.
  private static let seed = UInt64(truncatingIfNeeded: Hasher().finalize()) | 1

  /// Returns a hash of bytes, by multiplication as in wyhash: a fifth of the instructions of
  /// `Hasher`.
  public static func hash(_ bytes: Bytes) -> UInt64 { hash(bytes, seed) }

  /// Returns a hash of 128 bits, which no two of a billion billion keys share.
  public static func wideHash(_ bytes: Bytes) -> UInt128 {
    UInt128(hash(bytes, seed)) << 64 | UInt128(hash(bytes, seed ^ 0xE703_7ED1_A0B4_28DA))
  }

  @inline(__always)
  static func hash(_ bytes: Bytes, _ seed: UInt64) -> UInt64 {
    let factor = 0x9E37_79B9_7F4A_7C15 ^ seed << 1
    // As many bits as a word, so that no letters cancel out a length.
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
}
