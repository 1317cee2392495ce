package import CreditModel
package import CreditSystem

/// A file that somebody names on the command line. It may be a pipe, whose end is waited for.
package enum InputFile {
  /// The most bytes of one.
  package static let byteLimit = PolicyFile.byteLimit

  /// Reads all of it. A link is followed, a directory is not.
  /// - Throws: `io_error`, also where it is too long; `permission_denied`.
  package static func read(_ path: String, _ system: any SystemCalls) throws(CreditError) -> [UInt8]
  {
    try reporting { () throws(StoreFault) in
      let number = try calling { () throws(SystemError) in try system.openFile(path, .input) }
      let file = FileDescriptor(system: system, number: number, name: path)
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
      defer { block.deallocate() }
      var bytes: [UInt8] = []
      while bytes.count <= byteLimit {
        let count = try file.readNext(into: block)
        if count == 0 { return bytes }
        bytes.append(contentsOf: block[..<count])
      }
      throw StoreFault.system(.tooLarge(path))
    }
  }
}
