import Testing

@testable import CreditStore

struct IndexTablesTests {
  /// Tables of 256 pages of slots, all of them free, in memory of their own.
  private static func withTables(
    _ body: (inout IndexTables, UnsafeMutableRawBufferPointer, IndexLayout) -> Void
  ) {
    var layout = IndexLayout(seed: (1, 2))
    layout.slotCapacity = 256 * IndexTables.slotsPerPage
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: layout.byteCount, alignment: 16)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var tables = IndexTables(in: memory, layout)
    tables.startSums()
    body(&tables, memory, layout)
  }

  /// Each page is held against its sum at its first use, and after 128 of them the others are, too.
  @Test func afterManyPagesTheRestIsChecked() {
    Self.withTables { tables, memory, layout in
      memory[layout.byteCount - 1] ^= 1
      for page in 0..<127 {
        #expect(tables.slot(page * IndexTables.slotsPerPage) != nil, "page \(page)")
      }
      #expect(!tables.isDamaged)
      #expect(tables.slot(127 * IndexTables.slotsPerPage) == nil)
      #expect(tables.isDamaged)
    }
  }

  @Test func soundPagesStaySoundWithTheRest() {
    Self.withTables { tables, _, layout in
      for page in 0..<256 {
        #expect(tables.slot(page * IndexTables.slotsPerPage) != nil, "page \(page)")
      }
      #expect(!tables.isDamaged)
    }
  }
}
