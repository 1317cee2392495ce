#if Postgres
  internal import CPostgres
  internal import CreditBytes
  internal import CreditServer

  /// A result of libpq's, in text form.
  final class PostgresRows: ServerRows {
    private let result: OpaquePointer

    /// - Parameter result: of which the rows take care from now on.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    var count: Int { Int(PQntuples(result)) }

    func withText<Result>(
      _ row: Int, _ column: Int, _ body: (Bytes?) -> Result
    ) -> Result {
      let (row, column) = (Int32(row), Int32(column))
      guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column)
      else { return body(nil) }
      let length = Int(PQgetlength(result, row, column))
      return body(Bytes(start: value, count: length))
    }

    // MARK: Of an error

    /// Its SQLSTATE; nil if libpq reports it and not the server.
    var code: String? { field(ErrorField.code) }

    /// Whether the server ends the connection with it.
    var isFatal: Bool {
      let severity = field(ErrorField.severity) ?? field(ErrorField.severityInWords)
      return severity == "FATAL" || severity == "PANIC"
    }

    /// The error in a line, without the details, which may show data.
    var message: String {
      field(ErrorField.message) ?? messageOfLibrary(PQresultErrorMessage(result))
    }

    private func field(_ name: ErrorField) -> String? {
      PQresultErrorField(result, name.rawValue).map { oneLine(String(cString: $0)) }
    }
  }

  /// Letters of an error's fields (PostgreSQL's manual, "Error and Notice Message Fields"). libpq
  /// has them as macros that Swift does not import.
  private enum ErrorField: Int32 {
    case severityInWords = 0x53  // S
    case severity = 0x56  // V
    case code = 0x43  // C
    case message = 0x4D  // M
  }

  /// A message of libpq's in a line.
  func messageOfLibrary(_ text: UnsafePointer<CChar>?) -> String {
    let line = oneLine(text.map { String(cString: $0) } ?? "")
    return line.isEmpty ? "the connection failed" : line
  }

  private func oneLine(_ text: String) -> String {
    var line = ""
    for word in text.unicodeScalars.split(whereSeparator: { $0.value < 0x20 || $0.value == 0x7F }) {
      let rest = word.drop { $0 == " " }
      if !line.isEmpty && !rest.isEmpty { line += " " }
      line.unicodeScalars += rest
    }
    return line
  }
#endif
