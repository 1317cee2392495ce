internal import CreditSystem

extension StoreDirectory {
  /// How long a process may take to write a cache, before what it has begun is taken for a killed
  /// one's.
  private static let cacheMilliseconds: Int64 = 60_000

  /// Replaces a file that can be made again from others. Readers take no lock: the file appears
  /// whole, and one process at a time makes it, while others do without. Nothing is synced.
  func replaceCache(_ name: String, with bytes: [UInt8]) throws(StoreFault) {
    let temporary = name + ".new"
    try removeLeft(temporary)
    do throws(StoreFault) {
      let file = try open(temporary, .create)
      try bytes.span.withUnsafeBytes { (bytes) throws(StoreFault) in try file.write(bytes, at: 0) }
      try rename(temporary, to: name)
    } catch {
      // Another process may be at it.
      if case .system(let reason) = error, reason.isPresent { throw error }
      try? removeFile(temporary)
      throw error
    }
  }

  /// Removes what a process left that was killed. One that is merely slow puts another's file in
  /// place then, or none: a cache that is not whole costs time and nothing else.
  private func removeLeft(_ temporary: String) throws(StoreFault) {
    guard let left = try status(of: temporary) else { return }
    let age = system.currentMilliseconds() - left.changedNanoseconds / 1_000_000
    if age > Self.cacheMilliseconds { try removeFile(temporary) }
  }
}
