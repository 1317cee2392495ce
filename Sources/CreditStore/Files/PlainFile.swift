package import CreditSystem

/// Reads files that people name on the command line or in a policy.
package enum PlainFile {
  /// Reads a whole file that may have at most `limit` bytes. A link is followed, a directory is not.
  /// - Throws: ``StoreFault/system(_:)``.
  package static func read(_ path: String, limit: Int, _ system: any SystemCalls)
    throws(StoreFault) -> [UInt8]
  {
    let number = try calling { () throws(SystemError) in try system.openFile(path, .input) }
    let file = FileDescriptor(system: system, number: number, name: path)
    var bytes: [UInt8] = []
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { block.deallocate() }
    while true {
      let count = try file.readNext(into: block)
      bytes.append(contentsOf: block[..<count])
      if bytes.count > limit { throw .system(.tooLarge(path)) }
      if count == 0 { return bytes }
    }
  }
}
