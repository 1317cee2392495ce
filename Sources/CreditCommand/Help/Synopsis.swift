/// A form of the synopsis, such as `--account NAME [--hold N]`.
package enum Synopsis {
  /// The parts that no line break should divide: a flag with its value, a bracketed group.
  package static func parts(_ form: String) -> [String] {
    var parts: [String] = []
    var isOpen = false
    for word in form.split(separator: " ") {
      let starts = !isOpen && (word.hasPrefix("[") || word.hasPrefix("-") || word == "<")
      if starts || parts.isEmpty {
        parts.append(String(word))
      } else {
        parts[parts.count - 1] += " " + word
      }
      isOpen = (isOpen || word.hasPrefix("[")) && !word.hasSuffix("]")
    }
    return parts
  }
}
