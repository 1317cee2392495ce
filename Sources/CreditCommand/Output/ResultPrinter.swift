internal import CreditJSON
internal import CreditModel

/// Prints results in the form that was asked for: compact JSON, with the request's members,
/// indented, or some members alone.
struct ResultPrinter: ~Copyable {
  enum Form {
    case compact
    case pretty
    /// The members at some paths, `authorization.id`: text without quotes, with tabs between.
    case members([String])
    /// Lines of a listing, as an aligned table.
    case table(Table, Terminal)
    /// Laid out for reading.
    case answer(Terminal)
  }

  private let form: Form
  let needsRequests: Bool
  private let byteLimit: Int
  /// The bytes that are ready; they may be taken.
  var output = JSONWriter()
  /// Nil until a form needs it: few do.
  private var reader: ResultReader?

  /// - Parameter byteLimit: the longest result that is parsed again for another form; a longer one
  ///   is printed in its original form.
  init(form: Form, passesRequest: Bool, byteLimit: Int = JSONScanner.offsetLimit) {
    self.form = form
    needsRequests = passesRequest
    self.byteLimit = byteLimit
  }

  /// Prints the rows gathered for a table.
  /// - Parameter notes: lines below it.
  mutating func finishTable(notes: [String] = []) {
    guard case .table(let table, _) = form else { return }
    output.lines(notes.reduce(table.takeText()) { "\($0)\($1)\n" })
  }

  var printsText: Bool { if case .compact = form { true } else { false } }

  /// Prints one result.
  /// - Parameters:
  ///   - request: the request's text, to which the result is added; nil for none.
  ///   - isError: true for an error, which is not a line of a table.
  ///   - write: writes the result; if it throws, nothing is printed.
  mutating func print<Failure: Error>(
    request: [UInt8]? = nil, isError: Bool = false,
    _ write: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    if case .compact = form, request == nil {
      let start = output.count
      do throws(Failure) {
        try write(&output)
      } catch {
        output.truncate(to: start)
        throw error
      }
      output.endLine()
      return
    }
    if reader == nil { reader = ResultReader(byteLimit: byteLimit) }
    try reader?.print(form, request, isError: isError, to: &output, write)
  }
}

/// Parses results again, to print them in another form than the gate wrote them in.
private struct ResultReader: ~Copyable {
  private var result = JSONWriter()
  private var merged = JSONWriter()
  private var resultScanner: JSONScanner
  private var requestScanner = JSONScanner()
  private let byteLimit: Int

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
    resultScanner = JSONScanner(byteLimit: byteLimit)
  }

  /// Prints the result in a form. One that is too long is printed as it is.
  /// - Parameter write: writes the result; if it throws, nothing is printed.
  mutating func print<Failure: Error>(
    _ form: ResultPrinter.Form, _ request: [UInt8]?, isError: Bool, to output: inout JSONWriter,
    _ write: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    result.removeAll()
    try write(&result)
    let isPrinted = result.withBytes { text in
      guard let result = resultScanner.root(of: text) else { return false }
      if case .table(let table, _) = form {
        if !isError {
          table.add(result)
          if !table.isBlockFull { return true }
        }
        output.lines(table.takeText())
        if !isError { return true }
      }
      guard let request else {
        show(result, as: form, in: &output)
        return true
      }
      merged.removeAll()
      request.withBytes { merged.merge(result, into: requestScanner.root(of: $0)) }
      return merged.withBytes { text in
        if case .compact = form, text.count <= byteLimit {
          output.raw(text)
          output.endLine()
          return true
        }
        guard let merged = resultScanner.root(of: text) else { return false }
        show(merged, as: form, in: &output)
        return true
      }
    }
    if !isPrinted {
      result.withBytes { output.raw($0) }
      output.endLine()
    }
  }
}

extension JSONScanner {
  /// Reads a whole text. The value is valid until the next scan, and as long as the text is.
  /// - Returns: nil if the text is no JSON, or too long.
  fileprivate mutating func root(of text: Bytes) -> JSONValue? {
    guard case .complete = scan(text, isFinal: true) else { return nil }
    return value(in: text)
  }
}

private func show(_ root: JSONValue, as form: ResultPrinter.Form, in output: inout JSONWriter) {
  switch form {
  case .compact: JSONCompact.write(root, into: &output)
  case .pretty: JSONPretty.write(root, into: &output)
  case .table(_, let terminal), .answer(let terminal):
    return output.lines(AnswerText.text(of: root, on: terminal))
  case .members(let paths):
    for (index, path) in paths.enumerated() {
      if index > 0 { output.endField() }
      guard let member = root.descendant(path) else { continue }
      if member.withUTF8({ output.field($0) }) == nil { JSONCompact.write(member, into: &output) }
    }
  }
  output.endLine()
}

extension JSONWriter {
  /// Writes a request with a result merged into it. The result's members replace those of the same
  /// name in their places; the others follow. The request's `replayed`, about an earlier result, is
  /// dropped unless this result has its own.
  fileprivate mutating func merge(_ result: JSONValue, into request: JSONValue?) {
    beginObject()
    if let request {
      for (name, value) in request.members {
        let replacement = name.withUTF8 { result.member(utf8: $0) } ?? nil
        if replacement == nil, name.utf8Equals("replayed") { continue }
        member(name, replacement ?? value)
      }
    }
    for (name, value) in result.members {
      let isThere = name.withUTF8 { request?.member(utf8: $0) != nil }
      if isThere != true { member(name, value) }
    }
    endObject()
  }

  /// Writes whole lines of text for people.
  fileprivate mutating func lines(_ text: String) {
    if text.isEmpty { return }
    var text = text
    text.removeLast()
    text.withUTF8 { raw(Bytes($0)) }
    endLine()
  }

  /// Writes a field between tabs, on one line.
  ///
  /// Escapes text with control characters, which could end the line or steer a terminal, and its
  /// backslashes too. Names have none, so that a script can pass them on unchanged.
  fileprivate mutating func field(_ text: Bytes) {
    guard text.indices.contains(where: { text.controlByteCount(at: $0) > 0 }) else {
      return raw(text)
    }
    var escaped: [UInt8] = []
    var place = 0
    while place < text.count {
      let count = text[place] == UInt8(ascii: "\\") ? 1 : text.controlByteCount(at: place)
      if count == 0 { escaped.append(text[place]) }
      for byte in text[place..<place + count] { escaped += Self.escape(of: byte).utf8 }
      place += max(1, count)
    }
    escaped.withBytes { raw($0) }
  }

  private static func escape(of byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\n"): return "\\n"
    case UInt8(ascii: "\t"): return "\\t"
    case UInt8(ascii: "\r"): return "\\r"
    case UInt8(ascii: "\\"): return "\\\\"
    default:
      let digits = String(byte, radix: 16)
      return byte < 0x10 ? "\\x0" + digits : "\\x" + digits
    }
  }
}
