/// Text from outside as a message shows it: quoted, control and invisible characters escaped, at
/// most 200 bytes, so that it can neither break a line nor fool a terminal.
package func quoted(_ text: String) -> String {
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

/// Text from outside that is mostly plain, such as a path: as it is, but quoted where quoting
/// changes anything of it.
package func plainOrQuoted(_ text: String) -> String {
  let quotedText = quoted(text)
  return quotedText.dropFirst().dropLast() == text ? text : quotedText
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
