internal import CreditBytes
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
  private let passesRequest: Bool
  private let byteLimit: Int
  private var output = JSONWriter()
  // Few forms need these: they have no room until then.
  private var result = JSONWriter(capacity: 0)
  private var merged = JSONWriter(capacity: 0)

  /// - Parameter byteLimit: the longest result that is parsed again for another form; a longer one
  ///   is printed in its original form.
  init(form: Form, passesRequest: Bool, byteLimit: Int = JSONScanner.offsetLimit) {
    self.form = form
    self.passesRequest = passesRequest
    self.byteLimit = byteLimit
  }

  /// Prints the rows gathered for a table.
  /// - Parameter notes: lines below it.
  mutating func finishTable(notes: [String] = []) {
    guard case .table(let table, _) = form else { return }
    output.lines(notes.reduce(table.takeText()) { "\($0)\($1)\n" })
  }

  /// Whether the text of requests must be kept for their results.
  var needsRequests: Bool { passesRequest }

  /// Whether results are printed as a gate may have written them.
  var printsText: Bool { if case .compact = form { true } else { false } }

  var outputCount: Int { output.count }

  /// Calls `body` with the bytes that are ready; it may take them.
  mutating func withOutput<Result, Failure: Error>(
    _ body: (inout JSONWriter) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&output)
  }

  mutating func removeOutput() { output.removeAll() }

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
    result.removeAll()
    try write(&result)
    if !printRead(request, isError: isError) {
      result.withBytes { output.raw($0) }
      output.endLine()
    }
  }

  /// Parses the result again to print it in the requested form.
  /// - Returns: false if it is too long for that, and nothing was printed.
  private mutating func printRead(_ request: [UInt8]?, isError: Bool) -> Bool {
    guard let document = document(result) else { return false }
    if case .table(let table, _) = form {
      if !isError {
        document.withRoot { table.add($0) }
        if !table.isBlockFull { return true }
      }
      finishTable()
      if !isError { return true }
    }
    guard let request else {
      document.withRoot { show($0, as: form, in: &output) }
      return true
    }
    document.withRoot { merge($0, into: request) }
    if case .compact = form, merged.count <= byteLimit {
      merged.withBytes { output.raw($0) }
      output.endLine()
      return true
    }
    guard let merged = self.document(merged) else { return false }
    merged.withRoot { show($0, as: form, in: &output) }
    return true
  }

  /// Returns a writer's text as a document; nil if it is too long.
  private func document(_ writer: borrowing JSONWriter) -> JSONDocument? {
    try? JSONDocument(writer.withBytes { [UInt8]($0) }, byteLimit: byteLimit)
  }

  /// Merges the result into the request. Its members replace those of the same name in their
  /// places; the others follow. The request's `replayed`, about an earlier result, is dropped
  /// unless this result has its own.
  private mutating func merge(_ result: JSONValue, into request: [UInt8]) {
    merged.removeAll()
    merged.beginObject()
    let request = try? JSONDocument(request)
    request?.withRoot { request in
      for (name, value) in request.members {
        let replacement = name.withUTF8 { result.member(utf8: $0) } ?? nil
        if replacement == nil, name.utf8Equals("replayed") { continue }
        merged.member(name, replacement ?? value)
      }
    }
    for (name, value) in result.members {
      let isThere = request?.withRoot { request in
        name.withUTF8 { request.member(utf8: $0) != nil } ?? false
      }
      if isThere != true { merged.member(name, value) }
    }
    merged.endObject()
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
    func escapedCount(at place: Int) -> Int {
      text[place] == UInt8(ascii: "\\") ? 1 : text.controlByteCount(at: place)
    }
    guard text.indices.contains(where: { text.controlByteCount(at: $0) > 0 }) else {
      return raw(text)
    }
    var escaped: [UInt8] = []
    var place = 0
    while place < text.count {
      let count = escapedCount(at: place)
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

  mutating func member(_ name: JSONValue, _ value: JSONValue) {
    name.withUTF8 { key(utf8: $0) }
    JSONCompact.write(value, into: &self)
  }
}

extension JSONValue {
  /// The value that a path leads to: names and indexes with periods between.
  func descendant(_ path: String) -> JSONValue? {
    var value = self
    for step in path.split(separator: ".", omittingEmptySubsequences: false) {
      var step = String(step)
      let next =
        value.kind == .array
        ? value.element(step)
        : step.withUTF8 { value.member(utf8: Bytes($0)) }
      guard let next else { return nil }
      value = next
    }
    return value
  }

  private func element(_ index: String) -> JSONValue? {
    guard let index = Int(index), index >= 0 else { return nil }
    return elements.dropFirst(index).first { _ in true }
  }
}
