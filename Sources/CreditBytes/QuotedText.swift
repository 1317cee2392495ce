/// Returns text from outside for a message: quoted, control and invisible characters escaped, at
/// most 200 bytes, so that it can neither break a line nor fool a terminal.
public func quoted(_ text: String) -> String {
  let byteLimit = 200
  var quoted = "\""
  for scalar in text.unicodeScalars {
    let piece = escaped(scalar)
    // Room for the ellipsis and the closing quote.
    if quoted.utf8.count + piece.utf8.count > byteLimit - 4 { return quoted + "…\"" }
    quoted += piece
  }
  return quoted + "\""
}

/// Returns text from outside, such as a path, quoted only if necessary.
public func plainOrQuoted(_ text: String) -> String {
  let quotedText = quoted(text)
  return quotedText.dropFirst().dropLast() == text ? text : quotedText
}

/// Returns text from outside as one word of a shell, for a command that a person may paste.
public func shellWord(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy {
    (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || "-_./:=,@+".utf8.contains($0)
  }
  if isPlain, !text.isEmpty { return text }
  let hidesSome = text.unicodeScalars.contains(where: \.isHidden)
  let scalars = text.unicodeScalars.map { scalar in
    if !hidesSome { return scalar == "'" ? "'\\''" : String(scalar) }
    if !scalar.isHidden, scalar != "'", scalar != "\\" { return String(scalar) }
    let octals = String(scalar).utf8.map { String(0o1000 + Int($0), radix: 8).dropFirst() }
    return octals.map { "\\" + $0 }.joined()
  }
  return "\(hidesSome ? "$" : "")'\(scalars.joined())'"
}

/// Returns a flag with its value for such a command. A value like a flag needs `=`.
public func shellFlag(_ name: String, _ value: String) -> String {
  "--\(name)\(value.hasPrefix("--") ? "=" : " ")\(shellWord(value))"
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\"": return "\\\""
  case "\\": return "\\\\"
  case "\n": return "\\n"
  case "\r": return "\\r"
  case "\t": return "\\t"
  case " "..."~": return String(scalar)
  default: break
  }
  if scalar.isHidden { return scalar.escape }
  switch scalar.properties.generalCategory {
  case .privateUse, .unassigned: return scalar.escape
  default: return String(scalar)
  }
}

extension String {
  /// The text with its hidden characters escaped, for a line of text or a terminal.
  public var escapingHidden: String {
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isHidden { text += scalar.escape } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }

  /// The words of a member's name: `creditsCharged` → `credits charged`, `costUSD` → `cost USD`,
  /// `cacheWrite1hTokens` → `cache write 1h tokens`.
  public var asWords: String {
    var words: [String] = [""]
    var wasUpper = true
    for scalar in unicodeScalars {
      let isUpper = scalar.properties.isUppercase || ("0"..."9").contains(scalar)
      if isUpper, !wasUpper { words.append("") }
      words[words.count - 1].unicodeScalars.append(scalar.isHidden ? "\u{FFFD}" : scalar)
      wasUpper = isUpper
    }
    return words.map { $0.utf8.count > 1 && $0 == $0.uppercased() ? $0 : $0.lowercased() }
      .joined(separator: " ")
  }

  /// Whether it has a character of U+0000 to U+001F or U+007F to U+009F. No name may have one.
  public var hasControlCharacter: Bool {
    withUTF8Bytes { bytes in
      !bytes.isPrintable && bytes.indices.contains { bytes.controlByteCount(at: $0) > 0 }
    }
  }

  public var withoutControlCharacters: String {
    if !hasControlCharacter { return self }
    var text = ""
    for scalar in unicodeScalars where scalar.properties.generalCategory != .control {
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}

extension Unicode.Scalar {
  /// True if the character is invisible but may change how text around it shows.
  ///
  /// These are controls, which a terminal takes for commands, marks that turn the direction of
  /// writing, ends of lines and paragraphs, and characters without width (Unicode's categories Cc,
  /// Zl and Zp, and of Cf those that are always invisible). Output always escapes them.
  ///
  /// The list is closed, so that a later version of Unicode does not change the text of a record.
  public var isHidden: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F,  // controls
      0x200E...0x200F, 0x202A...0x202E, 0x2066...0x206F, 0x061C,  // direction and shaping
      0x2028...0x2029,  // ends of lines and paragraphs
      0x00AD, 0x180E, 0x200B...0x200D, 0x2060...0x2065, 0xFEFF,  // no width
      0xFFF9...0xFFFB, 0xE0001, 0xE0020...0xE007F:  // annotations and tags
      true
    default: false
    }
  }

  /// True if the character only joins or separates the letters beside it. Persian, Hindi and
  /// pictures of families need such characters.
  public var isJoiner: Bool { value == 0x200C || value == 0x200D }

  /// The character's escape in a JSON string: `\u202e`, or two of these.
  public var escape: String {
    var escape = ""
    for unit in String(self).utf16 {
      let digits = String(unit, radix: 16)
      escape += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return escape
  }
}

extension Bytes {
  /// Length of the control character at a place in bytes; 0 without one.
  public func controlByteCount(at place: Int) -> Int {
    let byte = self[place]
    if byte < 0x20 || byte == 0x7F { return 1 }
    guard byte == 0xC2, place + 1 < count else { return 0 }
    return 0x80...0x9F ~= self[place + 1] ? 2 : 0
  }
}
