/// The values along an axis: from a round number to a round number, by steps of 1, 2 or 5 times a
/// power of ten.
struct AxisScale {
  let low: Int128
  let high: Int128
  private let step: Int128

  /// More than any sum of credits; larger amounts of money are drawn as this.
  static let limit: Int128 = 1_000_000_000_000_000_000_000_000_000_000

  /// A scale that holds both values, and zero.
  init(from lowest: Int128, to highest: Int128) {
    let lowest = max(min(0, lowest), -Self.limit)
    let highest = min(max(0, highest, lowest + 1), Self.limit)
    var step: Int128 = 1
    let factors: [Int128] = [2, 5, 10]
    var power: Int128 = 1
    search: while true {
      for factor in [1] + factors {
        step = power * factor
        if (highest - lowest) / step < 5 { break search }
      }
      power *= 10
    }
    self.step = step
    low = Self.roundedDown(lowest, to: step)
    high = -Self.roundedDown(-highest, to: step)
  }

  private static func roundedDown(_ value: Int128, to step: Int128) -> Int128 {
    let rest = value % step
    return rest == 0 ? value : value - rest - (rest < 0 ? step : 0)
  }

  /// The values that are marked, from the highest.
  var marks: [Int128] {
    var marks: [Int128] = []
    var mark = high
    while mark >= low {
      marks.append(mark)
      mark -= step
    }
    return marks
  }

  /// How far from the top a value is, where the whole axis is so long.
  func position(of value: Int128, length: Int128 = 1000) -> Int128 {
    (high - min(max(value, low), high)) * length / (high - low)
  }
}
