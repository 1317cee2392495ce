extension String.UTF8View {
  /// Whether the bytes of a text are somewhere in these.
  package func contains(_ text: String) -> Bool {
    let pattern = text.utf8
    if pattern.isEmpty { return true }
    var rest = self[...]
    while rest.count >= pattern.count {
      if rest.starts(with: pattern) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
