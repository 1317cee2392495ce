internal import CreditJSON
internal import CreditModel

extension JournalFile {
  /// Gives `body` the line that starts at an offset, without its newline.
  ///
  /// The bytes are valid until `body` returns, which must not read another line meanwhile.
  /// - Parameter ofAccount: whether it is looked up as an account's newest line.
  /// - Returns: what `body` returns; nil where no line starts at the offset, or beyond ``length``.
  /// - Throws: ``StoreFault/damaged(_:)``, ``StoreFault/system(_:)``, what `body` throws.
  package func withLine<Result>(
    at offset: Int, ofAccount: Bool = false,
    _ body: (UnsafeRawBufferPointer) throws(StoreFault) -> Result
  ) throws(StoreFault) -> Result? {
    precondition(!isReading, "one line at a time")
    isReading = true
    defer { isReading = false }
    guard offset >= 0, offset < length,
      let line = try window(ofAccounts: ofAccount).line(at: offset, of: file, limit: length)
    else { return nil }
    guard JournalLine.isSound(line) else { throw damage(at: offset) }
    return try body(line)
  }

  /// Gives `body` the line of a record, at an offset that the index or another record names.
  ///
  /// This is the one place that decides what such an offset means where no record is: damage, and
  /// never the beginning of a history, nor an account that is not registered.
  /// - Throws: ``StoreFault/damaged(_:)``, ``StoreFault/system(_:)``, what `body` throws.
  func withRecordLine<Result>(
    at offset: Int, ofAccount: Bool = false,
    _ body: (UnsafeRawBufferPointer) throws(StoreFault) -> Result
  ) throws(StoreFault) -> Result {
    // The first line is the header.
    if offset > 0, let result = try withLine(at: offset, ofAccount: ofAccount, body) {
      return result
    }
    throw noLine(at: offset)
  }

  /// Gives `body` a line that was written ahead. Nothing of it is remembered, as it may be taken
  /// back.
  /// - Parameter byteCount: how many bytes after ``length`` have been written, the line among them.
  /// - Throws: ``StoreFault/damaged(_:)`` where no sound line starts at the offset,
  ///   ``StoreFault/system(_:)``.
  func withLine<Result>(
    at offset: Int, ofFirstAhead byteCount: Int, _ body: (UnsafeRawBufferPointer) -> Result?
  ) throws(StoreFault) -> Result? {
    let window = ReadWindow()
    guard let line = try window.line(at: offset, of: file, limit: length + byteCount) else {
      throw noLine(at: offset)
    }
    guard JournalLine.isSound(line) else { throw damage(at: offset) }
    return body(line)
  }

  /// Where the line that starts at an offset says that its account's previous record is; nil
  /// where it says nothing. Its checksum is not looked at.
  /// - Throws: ``StoreFault/damaged(_:)`` where no line starts, ``StoreFault/system(_:)``.
  func previous(of offset: Int) throws(StoreFault) -> Int? {
    guard offset > 0, offset < length,
      let line = try window.line(at: offset, of: file, limit: length)
    else { throw noLine(at: offset) }
    let content = line.dropLast(JournalLine.sealByteCount - 1)
    return RecordReader.previous(before: UnsafeRawBufferPointer(rebasing: content))
      .map { Int($0.value) }
  }

  /// The checksum of the line that ends at an offset, which says which journal this is up to there;
  /// 0 at the start, nil where no line ends.
  /// - Throws: ``StoreFault/system(_:)``.
  package func anchor(at offset: Int) throws(StoreFault) -> UInt32? {
    if offset == 0 { return 0 }
    let start = offset - JournalLine.sealByteCount - 1
    guard start >= 0, offset <= length else { return nil }
    var bytes = [UInt8](repeating: 0, count: JournalLine.sealByteCount + 1)
    var span = bytes.mutableSpan
    let count = try span.withUnsafeMutableBytes { (buffer) throws(StoreFault) -> Int in
      try file.read(into: buffer, at: start)
    }
    guard count == bytes.count, bytes.removeLast() == newline else { return nil }
    return bytes.withUnsafeBytes { JournalLine.writtenChecksum($0) }
  }

  /// Reads journal bytes from an offset on.
  /// - Returns: how many; fewer than the buffer takes only at the end of the file.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StoreFault) -> Int {
    try file.read(into: buffer, at: offset)
  }

  /// Reads a range in blocks of up to 1 MiB.
  func eachBlock(
    from start: Int, to end: Int, _ body: (UnsafeRawBufferPointer) throws(StoreFault) -> Void
  ) throws(StoreFault) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 8)
    defer { block.deallocate() }
    var position = start
    while position < end {
      let wanted = block[..<min(block.count, end - position)]
      let count = try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: wanted), at: position)
      if count == 0 { return }
      try body(UnsafeRawBufferPointer(rebasing: block[..<count]))
      position += count
    }
  }
}
