import CreditModel
import Testing

@testable import CreditJSON
@testable import TestSupport

/// `credit schema policy` agrees with the decoder: each member of a complete policy is replaced by
/// various values, left out, and joined by an unknown one.
@Suite(.slow) struct PolicyShapeTests {
  private static let values = [
    "true", "false", "null", "-1", "0", "1", "2.5", "\"2.5\"", "\"text\"", "\"15m\"", "{}", "[]",
    "\"2026-02-19T10:00:00Z\"", "\"day\"", "\"Sandbox\"", "9223372036854775807", "\"-1\"",
  ]

  /// A value with a shape.
  private static func sample(_ shape: JSONShape, _ name: String = "") -> String {
    switch shape {
    case .any: "1"
    case .named(_, let shape): sample(shape, name)
    case .anyOf(let shapes): sample(shapes[0], name)
    case .list(let shape): "[\(sample(shape, name))]"
    case .map(let shape): "{\"serviceTier=batch\":\(sample(shape, name))}"
    case .object(let members), .open(let members): object(members)
    case .choice(let members, let others): object(members + others.prefix(1))
    case .value(let kind): sample(kind, name)
    }
  }

  private static func sample(_ kind: JSONShape.Kind, _ name: String) -> String {
    switch kind {
    case .text: name == "currency" ? "\"USD\"" : "\"a-\(name)\""
    case .integer, .wholeOrDecimal, .numberOrDecimal: "1"
    case .truth, .yes: "true"
    case .time, .timeOrDay, .askedTime: "\"202\(name == "until" ? 7 : 6)-02-19T10:00:00Z\""
    case .decimal, .amount: "\"2.5\""
    case .range(let range): "\(range.upperBound)"
    case .words(let words): "\"\(words[0])\""
    case .span: "\"15m\""
    case .null: "null"
    }
  }

  private static func object(_ members: some Sequence<JSONMember>) -> String {
    object(members.map { ($0.name, sample($0.shape, $0.name)) })
  }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
  }

  /// Values that differ from the sample in one place each.
  private static func variants(_ shape: JSONShape, _ name: String = "") -> [String] {
    switch shape {
    case .any: return []
    case .named(_, let shape): return variants(shape, name)
    case .anyOf(let shapes): return shapes.flatMap { variants($0, name) }
    case .list(let shape): return values + variants(shape, name).map { "[\($0)]" }
    case .map(let shape):
      return values + variants(shape, name).map { "{\"serviceTier=batch\":\($0)}" }
    case .object(let members), .open(let members): return values + variants(of: members)
    case .choice(let members, let others):
      return values + variants(of: members) + others.flatMap { variants(of: members + [$0]) }
        + [object(members + others)]
    case .value(.range(let range)):
      let beyond = [Int128(range.lowerBound) - 1, Int128(range.upperBound) + 1]
      return values + beyond.map { "\($0)" } + ["\(range.lowerBound)", "\(range.upperBound)"]
    case .value(.words(let words)): return values + words.map { "\"\($0)\"" }
    // There are many of them.
    case .value(.numberOrDecimal), .value(.wholeOrDecimal):
      return ["true", "-1", "2.5", "\"2.5\"", "\"text\"", "{}"]
    case .value: return values
    }
  }

  private static func variants(of members: [JSONMember]) -> [String] {
    let samples = members.map { ($0.name, sample($0.shape, $0.name)) }
    var texts = [object(samples + [("unheardOf", "1")])]
    for (place, member) in members.enumerated() {
      var samples = samples
      for value in variants(member.shape, member.name) {
        samples[place].1 = value
        texts.append(object(samples))
      }
      samples.remove(at: place)
      texts.append(object(samples))
    }
    return texts
  }

  /// The decoder's further checks, which a shape cannot express.
  private static let finerRules = [
    "must be above 0", "must be longer", "must be a duration", "must be an ISO 4217 code",
    "must be named by a condition", "has a price without", "has no prices",
    "is used already", "that another model has already",
    "digits", "a text that is not empty", "plans[0].period is missing", "needs quota",
    "1 to 64 of A-Z", "models is empty", "must be after", "is not a plan of the policy",
    "needs plan", "cannot be given with the period", "needs rolloverMax",
    "is not the name of a time zone",
  ]

  private static func problem(of value: JSONValue) -> String? {
    failure { () throws(CreditError) in
      try PolicyDecoder.decode(value, catalog: { _ throws(CreditError) in PriceCatalog() })
    }?.message
  }

  @Test func agreesWithTheDecoder() throws {
    let shape = PolicyShape.policy
    let sample = Self.sample(shape)
    #expect(try JSONDocument(sample).withRoot { Self.problem(of: $0) } == nil, "\(sample)")
    var accepted = 0
    var refused = 0
    for text in Self.variants(shape) {
      let (mismatch, problem) = try JSONDocument(text).withRoot { value in
        (shape.firstMismatch(in: value), Self.problem(of: value))
      }
      if let problem, Self.finerRules.contains(where: problem.contains) { continue }
      #expect(
        (mismatch == nil) == (problem == nil), "\(mismatch ?? "-") \(problem ?? "-") \(text)")
      if problem == nil { accepted += 1 } else { refused += 1 }
    }
    #expect(accepted > 500 && refused > 2000)
  }
}
