internal import CreditFinance
internal import CreditModel
internal import CreditStore

/// Special rules of `credit-report --format statement`.
extension Command {
  func checkStatementFlags(_ format: String) throws(UsageError) {
    let arguments = settings.arguments
    if format == "statement" {
      if arguments[.cost] { throw UsageError("a statement never shows cost: leave out --cost") }
      if arguments.has(.onlyAccount), arguments.has(.month) { return }
      throw UsageError("--format statement needs --account and --month")
    }
    for flag: Flag in [.medium, .each, .byUse, .logo, .senderAddress, .receiverAddress]
    where arguments.has(flag) {
      throw UsageError("--\(flag.name) needs --format statement")
    }
  }

  func statement(in period: ReportPeriod) -> Statement {
    let arguments = settings.arguments
    let medium: Statement.Medium =
      switch arguments[.medium] {
      case "csv": .csv
      case "text": .rows
      default: .html
      }
    return Statement(
      of: arguments[.onlyAccount] ?? "", month: arguments[.month] ?? "", in: period, as: medium,
      listsEach: arguments[.each], now: now)
  }

  static var statementColumns: [TableColumn] {
    [
      TableColumn("MEMBER", "member", rank: 0),
      TableColumn("DATE", "date", rank: 1, leastWidth: 16),
      TableColumn("TYPE", "type", as: .word(), rank: 3),
      TableColumn("FOR", "description", rank: 4, leastWidth: 12),
      TableColumn("COUNT", "count", as: .number, rank: 6),
      TableColumn("CREDITS", "credits", as: .number, rank: 0),
      TableColumn("BALANCE", "balance", as: .balance, rank: 0),
      TableColumn("PRICE", "price", as: .number, rank: 2),
      TableColumn("CURRENCY", "currency", rank: 5),
      TableColumn("ID", "id", as: .id, rank: 7),
    ]
  }

  /// Reads the files that a statement has in it.
  func statementLetter() throws(CreditError) -> StatementLetter {
    let arguments = settings.arguments
    var letter = StatementLetter()
    letter.title = arguments[.title]
    letter.sender = try address(.senderAddress)
    letter.receiver = try address(.receiverAddress)
    if let path = arguments[.logo] { letter.logo = try logo(path) }
    return letter
  }

  private func address(_ flag: TextFlag) throws(CreditError) -> String? {
    guard let path = settings.arguments[flag] else { return nil }
    let bytes = try InputFile.read(path, host.system)
    guard bytes.count <= 4096, var text = String(validating: bytes, as: UTF8.self) else {
      throw .invalidRequest("\(quoted(path)) is not an address: text of 4,096 bytes at most")
    }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  private func logo(_ path: String) throws(CreditError) -> (type: String, bytes: [UInt8]) {
    let bytes = try InputFile.read(path, host.system)
    guard bytes.count <= 1 << 20, let type = Self.imageType(of: bytes) else {
      throw .invalidRequest(
        "\(quoted(path)) is not a logo: PNG, JPEG, GIF, WebP or SVG of 1 MiB at most")
    }
    return (type, bytes)
  }

  private static func imageType(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: "GIF8".utf8) { return "image/gif" }
    if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      return "image/webp"
    }
    let isSVG = bytes.starts(with: "<svg".utf8) || bytes.starts(with: "<?xml".utf8)
    return isSVG ? "image/svg+xml" : nil
  }
}
