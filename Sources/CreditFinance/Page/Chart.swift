/// A chart over time: a picture without text, which may be stretched, and around it the words.
struct Chart {
  let bins: TimeBins
  let scale: AxisScale
  /// Writes a value for people.
  let label: (Int128) -> String

  /// One thing of which each bin has an amount.
  struct Series {
    let name: String
    let values: [Int128]
    /// Its colour: one of `--c0` to `--c7`.
    let colour: Int
  }

  /// How wide a bin is in the picture, before that is stretched.
  private static let binWidth = 100

  /// Width of a bar: most of its bin, but at most an eighth of the chart if there are few bins.
  private var barWidth: Int { min(80, Self.binWidth * bins.starts.count / 8) }

  /// Draws stacked bars; amounts below zero are stacked downwards.
  /// - Parameter values: returns a value's text for the mouse pointer.
  func bars(_ series: [Series], values: (Int128) -> String) -> String {
    var shapes = ""
    for bin in bins.starts.indices {
      let left = bin * Self.binWidth + (Self.binWidth - barWidth) / 2
      var ends: (above: Int128, below: Int128) = (0, 0)
      for one in series where one.values[bin] != 0 {
        let value = one.values[bin]
        let base = value > 0 ? ends.above : ends.below
        if value > 0 { ends.above += value } else { ends.below += value }
        let top = scale.position(of: max(base, base + value))
        let height = max(1, scale.position(of: min(base, base + value)) - top)
        shapes += """
          <rect x="\(left)" y="\(top)" width="\(barWidth)" height="\(height)" \
          class="c\(one.colour)">\
          <title>\(bins.name(bin)) · \(one.name.html): \(values(value))</title></rect>

          """
      }
    }
    return frame(shapes, width: bins.starts.count * Self.binWidth)
  }

  /// A line through a value at the end of each bin.
  func line(_ values: [Int128], from opening: Int128) -> String {
    var points = "0,\(scale.position(of: opening))"
    for (bin, value) in values.enumerated() {
      points += " \((bin + 1) * Self.binWidth),\(scale.position(of: value))"
    }
    let width = values.count * Self.binWidth
    let zero = scale.position(of: 0)
    return frame(
      """
      <polygon class="area" points="0,\(zero) \(points) \(width),\(zero)"/>
      <polyline class="line" points="\(points)"/>

      """, width: width)
  }

  private func frame(_ shapes: String, width: Int) -> String {
    var lines = ""
    var marks = ""
    for mark in scale.marks {
      let top = scale.position(of: mark)
      lines += """
        <line x1="0" x2="\(width)" y1="\(top)" y2="\(top)"\(mark == 0 ? " class=\"zero\"" : "")/>

        """
      marks += "<span style=\"top:\(top.percentText)\">\(label(mark))</span>"
    }
    return """
      <div class="chart"><div class="y">\(marks)</div><div class="plot">
      <svg viewBox="0 0 \(width) 1000" preserveAspectRatio="none" aria-hidden="true">
      \(lines)\(shapes)</svg></div><div></div><div class="x">\(dates)</div></div>

      """
  }

  /// Returns the attributes that place a date: under its bin, at the ends within the chart.
  /// - Parameter isExtra: whether the date is left out if there is little room.
  private static func place(_ middle: Int128, isExtra: Bool) -> String {
    let rank = isExtra ? "wide " : ""
    if middle < 40 { return " class=\"\(rank)first\"" }
    if middle > 960 { return " class=\"\(rank)last\"" }
    return " class=\"\(rank)\" style=\"left:\(middle.percentText)\""
  }

  /// Some dates, each under its bin; every other one if there is little room.
  private var dates: String {
    let count = bins.starts.count
    let step = (count + 7) / 8
    var dates = ""
    var previous: Int?
    for (order, bin) in stride(from: 0, to: count, by: step).enumerated() {
      let middle = Int128(2 * bin + 1) * 1000 / Int128(2 * count)
      let place = Self.place(middle, isExtra: count > 4 && order % 2 == 1)
      dates += "<span\(place)>\(bins.label(bin, after: previous))</span>"
      previous = bin
    }
    return dates
  }
}

extension Int128 {
  /// Thousandths as percents of CSS: `12.5%`.
  var percentText: String { "\(self / 10).\(self % 10)%" }
}

func legend(_ series: [Chart.Series]) -> String {
  let entries = series.map { "<li><i class=\"c\($0.colour)\"></i><bdi>\($0.name.html)</bdi></li>" }
  return "<ul class=\"legend\">\(entries.joined())</ul>\n"
}
