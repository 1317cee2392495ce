internal import CreditLogs
public import CreditModel

public struct BillFile: Sendable {
  public let path: String
  /// The SHA-256 of its bytes in hexadecimal digits.
  public let sha256: String
  public let byteCount: Int
}

/// Splits one file of a bill into pages, elements or rows, in constant memory.
public struct BillReader: ~Copyable {
  /// The most bytes of one page, or of one element of a list.
  static let pageLimit = 64 << 20

  private enum Layout {
    case undecided, values, table
  }

  private let format: any BillFormat
  private let bill: Bill
  private let path: String
  private var layout = Layout.undecided
  private var stream = JSONStream(byteLimit: BillReader.pageLimit, splitsArrays: true)
  private var table = CSVTable()
  private var buffer = JSONBuffer()
  private var hash = SHA256()
  private var byteCount = 0

  public init(_ path: String, _ format: any BillFormat, into bill: Bill) {
    self.path = path
    self.format = format
    self.bill = bill
  }

  public mutating func take(_ bytes: Bytes) throws(CreditError) {
    hash.update(bytes)
    var bytes = bytes
    if layout == .undecided {
      var rest = bytes[...]
      if rest.starts(with: [0xef, 0xbb, 0xbf]) { rest = rest.dropFirst(3) }
      rest = rest.drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
      if rest.isEmpty { return }
      bytes = Bytes(rebasing: rest)
      layout = rest.first == UInt8(ascii: "{") || rest.first == UInt8(ascii: "[") ? .values : .table
      let description = type(of: format).description
      if layout == .table, !description.readsTables {
        let error = CreditError.invalidRequest(
          "it is CSV or other text, and \(description.advice)")
        throw Self.failure(error, path, line: 1)
      }
    }
    byteCount += bytes.count
    switch layout {
    case .undecided: break
    case .values:
      stream.append(bytes)
      try takeValues()
    case .table:
      _ = buffer.withFreeSpace(minimum: bytes.count) { space in
        space.copyMemory(from: bytes)
        return bytes.count
      }
      try takeRows(isFinal: false)
    }
  }

  public mutating func finish() throws(CreditError) -> BillFile {
    switch layout {
    case .undecided: break
    case .values:
      stream.finish()
      try takeValues()
    case .table:
      try takeRows(isFinal: true)
    }
    if byteCount == 0 { throw Self.failure(.invalidRequest("the file is empty"), path, line: 1) }
    let sha256 = SHA256.text(hash.finish())
    hash = SHA256()
    return BillFile(path: path, sha256: sha256, byteCount: byteCount)
  }

  private mutating func takeValues() throws(CreditError) {
    while true {
      switch stream.next() {
      case .needsMore, .end, .word: return
      case .malformed(let error):
        let message =
          error.reason == .tooLong
          ? "the value is longer than \(Self.pageLimit >> 20) MiB" : error.reason.message
        throw Self.failure(CreditError(.invalidJSON, message), path, line: error.line)
      case .value(let value, let line, _):
        if let name = stream.duplicateName {
          let error = CreditError.invalidRequest("it has the member \(quoted(name)) twice")
          throw Self.failure(error, path, line: line)
        }
        do throws(CreditError) {
          try format.read(value, into: bill)
        } catch {
          throw Self.failure(error, path, line: line)
        }
      }
    }
  }

  private mutating func takeRows(isFinal: Bool) throws(CreditError) {
    var found: CreditError?
    let (format, bill) = (self.format, self.bill)
    var scanner = JSONScanner()
    let path = path
    let count = table.take(buffer.unread, isFinal: isFinal) { row, line in
      if found != nil { return }
      do throws(CreditError) {
        let text: Bytes
        do throws(LogProblem) {
          text = try row.get()
        } catch {
          throw CreditError(error.code, error.reason)
        }
        guard case .complete = scanner.scan(text, isFinal: true) else {
          throw CreditError(.invalidJSON, "the row is not UTF-8 text")
        }
        try format.read(scanner.value(in: text), into: bill)
      } catch {
        found = Self.failure(error, path, line: line)
      }
    }
    buffer.advance(by: count)
    if let found { throw found }
  }

  private static func failure(_ error: CreditError, _ path: String, line: Int) -> CreditError {
    CreditError(
      error.code, "\(plainOrQuoted(path)): line \(line): \(error.message)",
      error.details + [.path(path), .line(line)])
  }
}
