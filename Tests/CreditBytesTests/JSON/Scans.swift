import CreditBytes

/// Returns the outcome of scanning a complete text.
func scan(_ text: [UInt8], byteLimit: Int = JSONScanner.byteLimit) -> JSONScanner.Outcome {
  var scanner = JSONScanner(byteLimit: byteLimit)
  return text.withBytes { scanner.scan($0, isFinal: true) }
}

func scan(_ text: String) -> JSONScanner.Outcome { scan(Array(text.utf8)) }

/// Returns the outcome if the text arrives in pieces of `step` bytes, each time at another address.
func scan(_ text: [UInt8], step: Int) -> JSONScanner.Outcome {
  var scanner = JSONScanner()
  var count = min(step, text.count)
  while true {
    let arrived = Array(text[..<count])
    let isFinal = count == text.count
    let outcome = arrived.withBytes { scanner.scan($0, isFinal: isFinal) }
    if outcome != .incomplete || isFinal { return outcome }
    count = min(count + step, text.count)
  }
}

func isAccepted(_ text: [UInt8]) -> Bool {
  if case .complete(text.count) = scan(text) { return true }
  return false
}

func failure(_ text: [UInt8]) -> JSONError? {
  if case .failure(let error) = scan(text) { return error }
  return nil
}

func failure(_ text: String) -> JSONError? { failure(Array(text.utf8)) }

func text(_ bytes: Bytes?) -> String? {
  bytes.map { String(decoding: $0, as: UTF8.self) }
}

/// Returns the result of `body` for the value of a text.
func read<Result>(_ text: String, _ body: (JSONValue) throws -> Result) throws -> Result {
  try JSONDocument(text).withRoot(body)
}

/// A stream's items in a form that can be kept.
enum Taken: Equatable {
  case value(String, line: Int, offset: Int)
  case malformed(JSONError)
  case word(String)
}

/// Returns a stream's items if its input arrives in the given pieces.
func items(
  _ pieces: [[UInt8]], byteLimit: Int = JSONScanner.byteLimit, words: StaticString? = nil
) -> [Taken] {
  var stream = JSONStream(byteLimit: byteLimit, words: words)
  var taken: [Taken] = []
  for piece in pieces {
    piece.withBytes { stream.append($0) }
    taken += takeAll(&stream)
  }
  stream.finish()
  return taken + takeAll(&stream)
}

func items(_ text: String) -> [Taken] { items([Array(text.utf8)]) }

private func takeAll(_ stream: inout JSONStream) -> [Taken] {
  var taken: [Taken] = []
  while true {
    switch stream.next() {
    case .value(let value, let line, let offset):
      taken.append(.value(text(value.raw) ?? "", line: line, offset: offset))
    case .malformed(let error):
      taken.append(.malformed(error))
    case .word(let word, line: _):
      taken.append(.word(text(word) ?? ""))
    case .needsMore, .end:
      return taken
    }
  }
}
