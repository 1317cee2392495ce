import CreditBytes
import Testing

@testable import CreditStore

struct IndexTablesTests {
  /// Tables of 256 pages of slots, all of them free, in memory of their own.
  private static func withTables(
    _ body: (inout IndexTables, MutableBytes, IndexLayout) -> Void
  ) {
    var layout = IndexLayout(seed: (1, 2))
    layout.slotCapacity = 256 * IndexTables.slotsPerPage
    let memory = MutableBytes.allocate(byteCount: layout.byteCount, alignment: 16)
    defer { memory.deallocate() }
    memory.fill(0)
    var tables = IndexTables(in: memory, layout)
    tables.startSums()
    body(&tables, memory, layout)
  }

  /// Uses a page, and then begins a batch.
  /// - Returns: whether both found all that they looked at sound.
  private static func use(_ page: Int, of tables: inout IndexTables) -> Bool {
    tables.slot(page * IndexTables.slotsPerPage) != nil && tables.checkMore()
  }

  /// Each page is held against its sum at its first use, and the others once 128 have been.
  @Test func afterManyPagesTheRestIsChecked() {
    Self.withTables { tables, memory, layout in
      memory[layout.byteCount - 1] ^= 1
      let soundCount = (0..<256).prefix { Self.use($0, of: &tables) }.count
      #expect(soundCount == 128)
      #expect(tables.isDamaged)
    }
  }

  @Test func theRestOfSoundPagesIsSound() {
    Self.withTables { tables, _, _ in
      let soundCount = (0..<256).prefix { Self.use($0, of: &tables) }.count
      #expect(soundCount == 256)
      #expect(!tables.isDamaged)
    }
  }

  /// A long run checks sound pages again.
  @Test func manyPagesAreLookedAtAgainInTheEnd() {
    Self.withTables { tables, memory, layout in
      for page in 0..<256 { _ = Self.use(page, of: &tables) }
      memory[layout.byteCount - 1] ^= 1
      let soundCount = (0..<1000).prefix { _ in
        tables.forgetChecks()
        return Self.use(255, of: &tables)
      }.count
      #expect(soundCount == 255)
      #expect(tables.isDamaged)
    }
  }
}
