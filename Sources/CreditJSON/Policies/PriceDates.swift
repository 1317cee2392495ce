public import CreditBytes
internal import CreditModel

/// The days on which the prices of models were looked up.
///
/// A model's `source` says it in its last ten characters: `https://example.com/prices, 2026-02-19`.
public struct PriceDates: Sendable {
  public private(set) var modelCount = 0
  /// Number of models that do not say it.
  public private(set) var undatedCount = 0
  /// The beginnings of the first and the last of these days, in UTC.
  public private(set) var oldest: Timestamp?
  public private(set) var newest: Timestamp?

  public init() {}

  /// Those of the list that comes with the tools.
  public static var standard: PriceDates {
    var dates = PriceDates()
    try? JSONDocument(PolicyText.standard).withRoot { dates.add(modelsOf: $0) }
    return dates
  }

  /// Looks through the models of a policy or catalog that has been checked.
  public mutating func add(modelsOf catalog: JSONValue) {
    for model in catalog.catalogModels {
      modelCount += 1
      guard let day = model.string("source").flatMap(Self.day) else {
        undatedCount += 1
        continue
      }
      oldest = min(day, oldest ?? day)
      newest = max(day, newest ?? day)
    }
  }

  private static func day(endOf source: String) -> Timestamp? {
    let day = Array(source.utf8.suffix(10))
    guard day.count == 10 else { return nil }
    return (day + Array("T00:00:00Z".utf8)).withBytes { Timestamp.parse($0) }
  }
}

extension Timestamp {
  /// Its day in UTC: `2026-02-19`.
  public var dayText: String { String(text.prefix(10)) }
}
