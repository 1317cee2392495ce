extension ParsedArguments {
  /// The flags that a request lacks of which other flags carry a part, as a message names them:
  /// `--key or --authorization`. Nil where no flag carries a part.
  var missingFlags: String? {
    guard given.contains(where: { $0.flag.isOfRequest }) else { return nil }
    // The forms that the flags have begun, if any, and of these the ones that lack least.
    let begun = tool.wholeRequests.filter { $0.parts.contains(where: has) }
    let open = (begun.isEmpty ? tool.wholeRequests : begun)
      // The longest first: more of it is there.
      .sorted { $0.parts.count > $1.parts.count }
      .map(missingParts)
      .filter { !$0.contains(where: \.isEmpty) }
    let fewest = open.map(\.count).min()
    return open.filter { $0.count == fewest }
      .map { $0.map(Self.title).joined(separator: ", and ") }
      .joined(separator: " or ")
  }

  /// The message's words for the only part that a request lacks. Nil if that part has no words of
  /// its own.
  var missingNeed: String? {
    for form in tool.wholeRequests {
      let missing = form.parts.filter { !has($0) }
      if missing.count == 1, let need = missing[0].need { return need }
    }
    return nil
  }

  /// The parts of which no flag is given, each as the flags that go with the given ones.
  private func missingParts(of form: CommandForm) -> [[Flag]] {
    form.parts.filter { !has($0) }.map { $0.flags.filter { !isExcluded($0) } }
  }

  private func has(_ part: CommandForm.Part) -> Bool { part.flags.contains(where: has) }

  private func isExcluded(_ flag: Flag) -> Bool {
    tool.exclusions.contains { $0.excluded(by: flag).contains(where: has) }
  }

  /// The flags of which one is to be given, as a message names them.
  private static func title(_ flags: [Flag]) -> String {
    if flags.allSatisfy({ $0.group == .usage }) { return "a usage flag" }
    return flags.map { "--\($0.name)" }.joined(separator: " or ")
  }
}

extension Flag {
  /// Whether the flag is part of a request or of a question about an account.
  fileprivate var isOfRequest: Bool { member != nil || group == .usage || group == .selection }
}
