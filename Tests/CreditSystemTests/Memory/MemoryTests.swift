import CreditBytes
import CreditSystem
import Testing

@Suite struct MemoryTests {
  @Test func firstPlaceOfAByte() {
    [UInt8]([1, 2, 3, 2]).withBytes { bytes in
      #expect(bytes.firstPlace(of: 2) == 1)
      #expect(bytes.firstPlace(of: 4) == nil)
    }
    #expect(Bytes().firstPlace(of: 0) == nil)
  }
}
