import Foundation

/// One expected line: literal text with wildcards for parts that differ from run to run.
///
/// `<uuid>` is an id as the tools make them, `<time>` a result's UTC time with milliseconds,
/// `<int>` an integer, `<...>` any text within the line, and `<blank>` alone an empty line.
struct Pattern {
  let text: String

  private static let wildcards = [
    "<uuid>": "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "<time>": "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z",
    "<int>": "(?:0|-?[1-9][0-9]*)",
    "<...>": ".*",
    "<blank>": "",
  ]

  /// Returns true if the pattern matches all of `line`, without normalization.
  func matches(_ line: String) throws -> Bool {
    var expression = NSRegularExpression.escapedPattern(for: text)
    for (name, meaning) in Self.wildcards {
      let escaped = NSRegularExpression.escapedPattern(for: name)
      expression = expression.replacingOccurrences(of: escaped, with: meaning, options: .literal)
    }
    let whole = NSRange(location: 0, length: line.utf16.count)
    let matcher = try NSRegularExpression(
      pattern: "\\A\(expression)\\z", options: .dotMatchesLineSeparators)
    return matcher.firstMatch(in: line, range: whole) != nil
  }
}

/// How `actual` differs from `expected`, as lines marked ` `, `-` (missing) and `+` (unexpected);
/// nil when every line matches.
func difference(expected: [Pattern], actual: [String]) throws -> String? {
  var first = 0
  while first < min(expected.count, actual.count), try expected[first].matches(actual[first]) {
    first += 1
  }
  if first == expected.count, first == actual.count { return nil }
  var last = 0
  while last < min(expected.count, actual.count) - first,
    try expected[expected.count - 1 - last].matches(actual[actual.count - 1 - last])
  {
    last += 1
  }
  let lines =
    actual[..<first].map { "  \($0)" }
    + expected[first..<(expected.count - last)].map { "- \($0.text)" }
    + actual[first..<(actual.count - last)].map { "+ \($0)" }
    + actual[(actual.count - last)...].map { "  \($0)" }
  return lines.joined(separator: "\n")
}
