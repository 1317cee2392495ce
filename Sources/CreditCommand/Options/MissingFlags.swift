extension ParsedArguments {
  /// The flags that a request lacks of which other flags carry a part, as a message names them:
  /// `--key or --authorization`. Nil where no flag carries a part.
  var missingFlags: String? {
    guard given.contains(where: { $0.flag.isOfRequest }) else { return nil }
    // The forms that the flags have begun, if any, and of these the ones that lack least.
    let begun = tool.wholeRequests.filter { $0.parts.contains(where: has) }
    let forms = begun.isEmpty ? tool.wholeRequests : begun
    let fewest = forms.map { missingParts(of: $0).count }.min()
    // The longest first: more of it is there.
    return forms.filter { missingParts(of: $0).count == fewest }
      .sorted { $0.parts.count > $1.parts.count }
      .map { missingParts(of: $0).map(\.title).joined(separator: ", and ") }
      .joined(separator: " or ")
  }

  private func missingParts(of form: CommandForm) -> [CommandForm.Part] {
    form.parts.filter { !has($0) }
  }

  private func has(_ part: CommandForm.Part) -> Bool { part.flags.contains(where: has) }
}

extension Flag {
  /// Whether it says a part of a request.
  fileprivate var isOfRequest: Bool { member != nil || group == .usage }
}

extension CommandForm.Part {
  /// The flags of which one is given, as a message names them.
  fileprivate var title: String {
    if flags.allSatisfy({ $0.group == .usage }) { return "a usage flag" }
    return flags.map { "--\($0.name)" }.joined(separator: " or ")
  }
}
