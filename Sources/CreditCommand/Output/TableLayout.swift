/// Which columns of a table fit beside each other, and how wide they are.
struct TableLayout: Equatable {
  /// How many blanks are between two columns.
  static let gap = 2

  /// The columns that are shown, by their places.
  private(set) var places: [Int]
  /// How wide each of them is.
  private(set) var widths: [Int]

  /// Shortens text if the columns are too wide. If that is not enough, columns are left out, those
  /// of the highest rank first.
  /// - Parameters:
  ///   - wanted: how wide each column would be; 0 for one with nothing in it.
  ///   - limit: how wide a line may be.
  init(_ columns: [TableColumn], wanted: [Int], limit: Int) {
    places = columns.indices.filter { wanted[$0] > 0 }
    let byRank = places.sorted { (columns[$0].rank, $0) > (columns[$1].rank, $1) }
    func width(of widths: [Int]) -> Int { widths.reduce(-Self.gap) { $0 + $1 + Self.gap } }
    func minimum(_ place: Int) -> Int { columns[place].minimum(of: wanted[place]) }
    for place in byRank where places.count > 1 && width(of: places.map(minimum)) > limit {
      places.removeAll { $0 == place }
    }
    widths = places.map { wanted[$0] }
    var excess = width(of: widths) - limit
    for place in byRank where excess > 0 {
      guard let index = places.firstIndex(of: place) else { continue }
      let least = places.count == 1 ? limit : minimum(place)
      let cut = min(excess, widths[index] - least)
      widths[index] -= cut
      excess -= cut
    }
  }
}
