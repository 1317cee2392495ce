internal import CreditJSON
internal import CreditModel

/// The command line that charges what a run has left open.
struct ChargeLine {
  private var words = ["credit-charge"]
  private let readsResponse: Bool

  init(_ authorization: Name, _ reading: UsageReading, _ settings: Settings) {
    let counts = Self.counts(reading.usage)
    readsResponse = counts.isEmpty
    if let store = settings.arguments[.store] { words += ["--store", store] }
    words += ["--authorization", authorization.text, "--arrears"]
    words += ["--model", settings.arguments[.model] ?? reading.responseModel ?? "MODEL"]
    words += readsResponse ? ["--response", "--partial"] : counts
  }

  /// Returns the flags that state a usage; empty if the usage is not known.
  private static func counts(_ usage: ReportedUsage) -> [String] {
    guard case .counts(let usage) = usage else { return [] }
    switch usage {
    case .units(let units): return ["--units", "\(units)"]
    case .tokens(let tokens):
      var flags: [String] = []
      for place in 0..<UsageCount.total {
        let count = UsageCount(at: place)
        let isShown = tokens[count] != 0 || place < 2
        if isShown { flags += ["--\(count.row.flag)", "\(tokens[count])"] }
      }
      for condition in UsageCondition.allCases {
        if let value = tokens[condition] { flags += ["--\(condition.flag)", value] }
      }
      return flags
    }
  }

  /// The line, for a shell.
  var text: String {
    words.map(Self.quoted).joined(separator: " ") + (readsResponse ? " < RESPONSE" : "")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0)
        || "-_./:=,@+".utf8.contains($0)
    }
    if isPlain, !word.isEmpty { return word }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}
