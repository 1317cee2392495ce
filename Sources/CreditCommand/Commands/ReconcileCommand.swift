internal import CreditFinance
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  func reconcile(_ format: any BillFormat.Type) throws(UsageError) {
    let files = settings.arguments.operands
    if files.isEmpty { throw UsageError("name the files of the bill") }
    for file in files
    where ["-", "/dev/null", "/dev/stdin", "/dev/fd/0"].contains(file)
      || file.hasPrefix("/dev/tty") || file.hasPrefix("/dev/pts/")
    {
      throw UsageError(
        "\(plainOrQuoted(file)) is not a file of a bill; the history comes on standard input")
    }
    let options = try reconcileOptions(of: format)
    let maps = try modelMaps()
    let patterns = try modelPatterns()
    try requireInput()
    if host.streams.inputKind == .nullDevice {
      throw UsageError("standard input is /dev/null: give it the lines of credit-history")
    }
    do throws(CreditError) {
      let catalog = try settings.arguments[.catalog].map { path throws(CreditError) in
        try CatalogFile.load(path, system: host.system)
      }
      let models = ModelMatch(maps: maps, catalog: catalog, patterns: patterns)
      let reconciliation = Reconciliation(format, options, models)
      for file in files { try readBill(file, into: reconciliation) }
      try reconciliation.beginBooks()
      try readBooks(into: reconciliation)
      let result = try reconciliation.finish()
      print(result)
      for (name, nearest) in models.unusedMaps {
        errors.remark("--map: the bill has no model \(quoted(name))\(NearestNames.hint(nearest))")
      }
      for remark in result.remarks { errors.remark(remark) }
      if !result.totals.isOK { errors.report(CreditError(.differs, result.totals.sentence)) }
    } catch {
      if reconcileFormat == "json" { return printError(error) }
      errors.report(error)
    }
  }

  // MARK: Command line

  private func reconcileOptions(
    of format: any BillFormat.Type
  ) throws(UsageError) -> ReconcileOptions {
    let arguments = settings.arguments
    let clock = try reportClock()
    guard
      let period = BillPeriod(since: arguments[.since], until: arguments[.until], clock: clock)
    else { throw UsageError("--since and --until take the beginning of a day") }
    var options = ReconcileOptions(period: period, now: now)
    options.grouping = arguments[.reconcileBy].flatMap(Grouping.init(rawValue:)) ?? .dayAndModel
    if let text = arguments[.tolerance] {
      guard let tolerance = Tolerance(text: text) else {
        throw UsageError(
          "--tolerance takes dollars such as 0.05, or a share such as 0.01%, not \(quoted(text))")
      }
      options.tolerance = tolerance
    }
    if let settled = arguments[.settled] { options.settled = settled }
    if let grace = arguments[.midnightGrace] {
      guard grace.milliseconds <= 12 * 3_600_000 else {
        throw UsageError("--grace takes 12h at most")
      }
      guard options.grouping.hasDay else {
        throw UsageError("--grace compares days, and --by \(options.grouping.rawValue) has no days")
      }
      options.grace = grace
    }
    options.modelColumn = arguments[.modelColumn]
    options.isSplit = arguments.operands.count > 1
    let isFocus = format.description.name == "focus"
    if isFocus, options.modelColumn == nil, options.grouping.hasModel {
      throw UsageError(
        "FOCUS has no column for models: name it with --model-column, or use --by day")
    }
    if !isFocus, options.modelColumn != nil {
      throw UsageError("--model-column is for focus; \(format.description.name) names its models")
    }
    return options
  }

  private func modelPatterns() throws(UsageError) -> ModelPatterns? {
    guard let texts = settings.arguments[.bookModels]?.split(separator: ",").map(String.init) else {
      return nil
    }
    do { return try ModelPatterns(texts) } catch { throw UsageError("--models \(error.text)") }
  }

  /// The values of `--map`: `BILL=BOOKS`.
  private func modelMaps() throws(UsageError) -> [String: String] {
    var maps: [String: String] = [:]
    for text in settings.arguments[.modelMap] {
      let (bill, books) = text.tagParts
      guard let books, !bill.isEmpty, !books.isEmpty else {
        throw UsageError("--map takes BILL=BOOKS, two names of a model, not \(quoted(text))")
      }
      guard maps.updateValue(books, forKey: bill) == nil else {
        throw UsageError("--map names \(quoted(bill)) twice")
      }
    }
    return maps
  }

  // MARK: Reading

  private func readBill(_ path: String, into reconciliation: Reconciliation) throws(CreditError) {
    let system = host.system
    let file = try CreditError.naming(path) { () throws(SystemError) in
      try system.openFile(path, .input)
    }
    defer { system.closeFile(file) }
    try reconciliation.readFile(path) { (take) throws(CreditError) in
      try forEachPiece { block throws(CreditError) in
        try CreditError.naming(path) { () throws(SystemError) in
          try system.readNext(file, into: block)
        }
      } take: { piece throws(CreditError) in
        try take(piece)
      }
    }
  }

  /// Reads the lines of the history. An error result among them ends the comparison.
  private func readBooks(into reconciliation: Reconciliation) throws(CreditError) {
    try forEachInputValue { (value, line) throws(CreditError) in
      do throws(CreditError) {
        try reconciliation.add(value)
      } catch {
        throw Self.error(in: value, line: line)
          ?? CreditError(
            error.code, "standard input: line \(line): \(error.message)",
            error.details + [.line(line)])
      }
    }
  }

  // MARK: Printing

  /// The flag's format; without one, a table on a terminal and JSON elsewhere.
  private var reconcileFormat: String {
    settings.arguments[.reconcileFormat] ?? (host.streams.outputIsTerminal ? "text" : "json")
  }

  private func print(_ result: Reconciliation.Result) {
    switch reconcileFormat {
    case "text": printBytes(table(of: result))
    case "csv": printBytes(result.csv.bytes)
    case "html": printBytes(result.page(version: ToolSuite.version).bytes)
    default:
      var text = JSONWriter()
      for finding in result.findings {
        text.finding(finding, by: result.grouping)
        text.endLine()
        if text.count > 1 << 18 {
          printBytes(text.withBytes { Array($0) })
          text.removeAll()
        }
      }
      text.totals(result.totals)
      text.endLine()
      printBytes(text.withBytes { Array($0) })
    }
  }

  private func table(of result: Reconciliation.Result) -> [UInt8] {
    let columns = result.titles.enumerated().map { place, title in
      let isNumber = ["BILL, $", "BOOKS, $", "DIFFERENCE"].contains(title)
      return TableColumn(title, title, as: isNumber ? .number : .text, rank: place)
    }
    let table = Table(columns, on: Terminal(ofOutput: host))
    return table.text(of: result.table.bytes) + table.takeText().utf8
  }
}
