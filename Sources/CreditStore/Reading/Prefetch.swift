internal import CShims

extension ContiguousArray {
  /// Has the processor fetch an element that is used soon, whole where it has up to 64 bytes.
  @inline(__always)
  func prefetch(_ index: Int) {
    withUnsafeBufferPointer { elements in
      guard let element = elements.baseAddress.map({ UnsafeRawPointer($0 + index) }) else { return }
      CShims.prefetch(element)
      if MemoryLayout<Element>.size > 16 {
        CShims.prefetch(element + MemoryLayout<Element>.size - 1)
      }
    }
  }
}
