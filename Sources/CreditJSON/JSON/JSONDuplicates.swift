internal import CreditModel

extension JSONNodes {
  /// Objects with no more members than this have their names compared in pairs, others by hash.
  private static let pairwiseLimit = 16

  /// The node of the first name that repeats an earlier one of an object that has been scanned.
  func duplicateName(ofObject object: Int, in bytes: UnsafeRawPointer) -> Int? {
    let end = Int(self[object].next)
    var members = 0
    var name = object &+ 1
    while name < end {
      members &+= 1
      if members > Self.pairwiseLimit { return hashedDuplicate(ofObject: object, in: bytes) }
      var earlier = object &+ 1
      while earlier < name {
        if namesAreEqual(earlier, name, in: bytes) { return name }
        earlier = nameAfter(earlier)
      }
      name = nameAfter(name)
    }
    return nil
  }

  @inline(__always)
  private func nameAfter(_ name: Int) -> Int { Int(self[name &+ 1].next) }

  private func text(of name: Int, in bytes: UnsafeRawPointer) -> JSONText {
    let node = self[name]
    return JSONText(
      bytes: UnsafeRawBufferPointer(start: bytes + Int(node.start), count: node.range.count),
      isPlain: node.isPlain)
  }

  @inline(__always)
  private func namesAreEqual(_ left: Int, _ right: Int, in bytes: UnsafeRawPointer) -> Bool {
    let (first, second) = (self[left], self[right])
    if first.isPlain, second.isPlain {
      let count = Int(first.end &- first.start)
      return count == Int(second.end &- second.start)
        && bytesAreEqual(bytes + Int(first.start), bytes + Int(second.start), count: count)
    }
    return text(of: left, in: bytes).equals(text(of: right, in: bytes))
  }

  /// `Hasher` is seeded by each process, so that nobody can make up names that collide.
  @inline(never)
  private func hashedDuplicate(ofObject object: Int, in bytes: UnsafeRawPointer) -> Int? {
    let end = Int(self[object].next)
    var members = 0
    var name = object + 1
    while name < end {
      members += 1
      name = nameAfter(name)
    }
    // A power of two that leaves at least half of the table empty; 0 is an empty slot, and no name.
    let mask = (1 << (Int.bitWidth - (members * 2).leadingZeroBitCount)) - 1
    var slots = [UInt32](repeating: 0, count: mask + 1)
    name = object + 1
    while name < end {
      var slot = hash(of: name, in: bytes) & mask
      while slots[slot] != 0 {
        if namesAreEqual(Int(slots[slot]), name, in: bytes) { return name }
        slot = (slot + 1) & mask
      }
      slots[slot] = UInt32(truncatingIfNeeded: name)
      name = nameAfter(name)
    }
    return nil
  }

  private func hash(of name: Int, in bytes: UnsafeRawPointer) -> Int {
    text(of: name, in: bytes).withDecoded {
      var hasher = Hasher()
      hasher.combine(bytes: $0)
      return hasher.finalize()
    }
  }
}
