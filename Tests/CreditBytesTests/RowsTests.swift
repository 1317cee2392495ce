import Testing

@testable import CreditBytes
@testable import TestSupport

@Suite struct RowsTests {
  /// Counts its instances, so that a value that is lost or freed twice shows.
  private final class Counted {
    nonisolated(unsafe) static var count = 0
    let number: Int

    init(_ number: Int) {
      self.number = number
      Self.count += 1
    }

    deinit { Self.count -= 1 }
  }

  @Test func valuesAreThoseOfAnArray() {
    var random = SeededGenerator(seed: 12)
    do {
      var rows = Rows<Counted>()
      var model: [Int] = []
      for step in 0..<5_000 {
        switch random.number(below: 8) {
        case 0:
          let place = random.number(below: model.count + 1)
          rows.removeAll(from: place)
          model.removeSubrange(place...)
        case 1 where !model.isEmpty:
          let place = random.number(below: model.count)
          rows[place] = Counted(-step)
          model[place] = -step
        case 2: rows.reserve(random.number(below: 40))
        default:
          rows.append(Counted(step))
          model.append(step)
        }
        let numbers = rows.indices.map { rows[$0].number }
        let first = rows.firstIndex { $0.number % 7 == 0 }
        let isEmpty = rows.isEmpty
        #expect(numbers == model && isEmpty == model.isEmpty)
        #expect(first == model.firstIndex { $0 % 7 == 0 })
        #expect(Counted.count == model.count)
      }
    }
    #expect(Counted.count == 0)
  }

  @Test func valuesMoveWithASwap() {
    var left = Rows<String>()
    var right = Rows<String>()
    left.append("a text that is longer than fifteen bytes")
    swap(&left, &right)
    let (isEmpty, text) = (left.isEmpty, right[0])
    #expect(isEmpty && text.hasPrefix("a text"))
  }
}
