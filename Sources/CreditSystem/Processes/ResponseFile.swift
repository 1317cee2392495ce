internal import CLibrary

/// The file that a command writes its response to.
package enum ResponseFile {
  /// Whether there is something in it.
  package static func isFilled(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && (status.st_size > 0 || status.st_mode & S_IFMT != S_IFREG)
  }

  /// Calls `body` with its bytes, a piece at a time.
  ///
  /// It does not call `body` if the file is missing.
  package static func read(_ path: String, _ body: (UnsafeRawBufferPointer) -> Void)
    throws(SystemError)
  {
    let file: Int32
    do {
      file = try repeating("open", path) { open(path, O_RDONLY | O_CLOEXEC) }
    } catch {
      if error.isMissing { return }
      throw error
    }
    defer { close(file) }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { block.deallocate() }
    while true {
      let count = try repeating("read", path) {
        CLibrary.read(file, block.baseAddress, block.count)
      }
      if count == 0 { return }
      body(UnsafeRawBufferPointer(rebasing: block[..<count]))
    }
  }
}
