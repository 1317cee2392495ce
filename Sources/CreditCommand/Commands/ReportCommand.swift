internal import CreditFinance
internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  func runReport() throws(UsageError) {
    let arguments = settings.arguments
    if arguments[.onlyAccount]?.isEmpty == true {
      throw UsageError("--account is empty: is a variable not set?")
    }
    let columns = arguments.isByGrant ? nil : try arguments[.by].map(Self.columns)
    // At a terminal sums are shown as tables.
    let isTable =
      switch arguments[.format] {
      case "text": true
      case "statement": arguments[.medium] == "text"
      case nil: arguments.has(.by) && host.streams.outputIsTerminal
      default: false
      }
    let clock = try reportClock()
    let filter = try HistoryFilter(arguments, clock)
    let period = ReportPeriod(
      since: filter.since, until: filter.until, clock: clock,
      isByRecord: arguments[.format] == "statement" ? !arguments[.byUse] : filter.isByRecord)
    let form = try reportForm(columns, isTable: isTable, in: period)
    let table = isTable ? self.table(of: form) : nil
    try requireInput()
    var others: Set<String> = []
    var end: Timestamp?
    do throws(CreditError) {
      if let statement = form as? Statement { statement.letter = try statementLetter() }
      let (months, isParent) = try read(into: form, table, period, &others)
      end = months.historyEnd(at: now)
      try form.finish(at: end)
      if !form.hasOtherLines, let known = months.elsewhere {
        let more = isParent ? "; without --account its members' work counts, too" : ""
        let start = arguments[.since].map { "from \($0.text) on" }
        let span = [start, arguments[.until].map { "before \($0.text)" }].compactMap(\.self)
        let asked = arguments[.month].map { "of \($0)" } ?? span.joined(separator: " and ")
        errors.remark("no line is \(asked); the lines are of \(known)\(more)")
      } else if let end, let until = filter.until {
        errors.remark(
          "the newest line is of \(end.text), over a day before \(until.text): if the history was "
            + "printed before then, it lacks lines")
      }
    } catch {
      guard error.code == .unknownAccount, form is Statement else { return errors.report(error) }
      let nearest = hint(among: others)
      let other =
        "; a tag has no statement: use --by tag.NAME,account, or a page with --customer; for the "
        + "teams of a parent use --by parent,account"
      return errors.report(error.with(hint: nearest.isEmpty ? other : nearest))
    }
    print(form, table, end: end.map { "\n" + period.note(onEnd: $0) + "\n" } ?? "")
    for remark in form.remarks { errors.remark(remark) }
  }

  /// - Parameter isTable: true if people read its rows in a table.
  private func reportForm(
    _ columns: [ReportColumn]?, isTable: Bool, in period: ReportPeriod
  ) throws(UsageError) -> any ReportForm {
    let arguments = settings.arguments
    let format = arguments[.format] ?? (arguments.has(.by) ? "json" : "html")
    let showsCost = !arguments[.customer]
    try checkStatementFlags(format)
    if arguments[.deferred], JournalDialect(rawValue: format) == nil {
      throw UsageError("--deferred needs --format hledger, ledger, beancount or csv")
    }
    if arguments.has(.title), !["html", "statement", "focus"].contains(format) {
      throw UsageError("--title needs --format html, statement or focus")
    }
    switch format {
    case "csv" where !arguments[.deferred], "json", "text":
      let form: RowForm = format == "csv" ? .csv : isTable ? .table : .json
      if arguments.isByGrant {
        let isByProduct = arguments[.by] != "grant"
        return GrantRows(form, byProduct: isByProduct, in: period, now: now)
      }
      guard let columns else { return TransactionRows(form, in: period, showsCost: showsCost) }
      return SumRows(
        form, by: columns, in: period, showsCost: showsCost, of: arguments[.onlyAccount])
    case "focus" where columns?.contains(where: \.isOfChain) == true:
      throw UsageError("--by parent and --by payer make sums, which --format focus does not show")
    case "focus" where !arguments.isByGrant:
      return FocusRows(
        by: columns ?? FocusRows.standardColumns, in: period,
        provider: arguments[.title] ?? "credit-tools", showsCost: showsCost,
        of: arguments[.onlyAccount])
    case _ where arguments.has(.by):
      throw UsageError("--by makes sums, which --format \(format) does not show")
    case "statement": return statement(in: period)
    case "csv", "hledger", "ledger", "beancount":
      return LedgerJournal(
        JournalDialect(rawValue: format) ?? .hledger, in: period, defersSales: arguments[.deferred],
        now: now)
    default:
      return ReportPage(
        of: period, arguments[.onlyAccount], version: ToolSuite.version, title: arguments[.title],
        showsCost: arguments[.cost] ? true : showsCost ? nil : false, now: now)
    }
  }

  private static func columns(_ text: String) throws(UsageError) -> [ReportColumn] {
    var columns: [ReportColumn] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let column = ReportColumn(text: String(word)) else {
        if word == "grant" {
          throw UsageError("--by grant takes no other column than product: see --month")
        }
        let names = ReportColumn.names
        let tag = word.hasPrefix("tags.") ? word.dropFirst(5) : word
        throw UsageError(
          "--by takes \(names.joined(separator: ", ")), or grant, or grant,product; not "
            + quoted(String(word))
            + NearestNames.question(String(word), among: names + ["grant", "tag.\(tag)"]))
      }
      if columns.contains(column) { throw UsageError("--by has \(quoted(String(word))) twice") }
      columns.append(column)
    }
    return columns
  }

  func reportClock() throws(UsageError) -> ReportClock {
    let arguments = settings.arguments
    if let name = arguments[.timeZone], ReportClock(offset: name) == nil {
      do throws(CreditError) {
        let zones = ZoneFolders(host.folder("TZDIR"), host.system)
        return ReportClock(try zones.zone(named: name), name: name)
      } catch {
        throw UsageError("--time-zone: \(error.message)")
      }
    }
    let text = arguments[.utcOffset] ?? arguments[.timeZone] ?? "Z"
    if let clock = ReportClock(offset: text) { return clock }
    throw UsageError("--utc-offset takes an offset such as +02:00, not \(quoted(text))")
  }

  /// Reads all lines. An error result among them ends the report.
  /// - Parameter others: gets the accounts of the lines until one is of the wanted account.
  /// - Returns: the months of the wanted account's lines, and true if members' lines were left out.
  private func read(
    into form: any ReportForm, _ table: Table?, _ period: ReportPeriod,
    _ others: inout Set<String>
  ) throws(CreditError) -> (RecordedMonths, isParent: Bool) {
    let account = settings.arguments[.onlyAccount]
    var (hasLine, isKnown, isParent) = (false, account == nil, false)
    var months = RecordedMonths(in: period)
    var repeated = RepeatedLines()
    try forEachInputValue { (value, number) throws(CreditError) in
      let line = try reportLine(value, line: number, for: form)
      hasLine = true
      let isSelected = account == nil || line.account == account
      months.add(line, isShown: isSelected || form.readsAllAccounts && line.parent == account)
      isKnown = isKnown || isSelected
      if !isKnown, others.count < 1000 { others.insert(line.account) }
      isParent = isParent || !isSelected && line.parent == account
      guard isSelected || form.readsAllAccounts else { return }
      try repeated.note(line, number: number)
      if line.isRepetition { try form.add(repeated: line) } else { try form.add(line) }
    } afterBlock: {
      if form.output.bytes.count > 1 << 16 { print(form, table) }
    }
    if let account, hasLine, !isKnown, !(isParent && form.readsAllAccounts), !(form is Statement) {
      errors.remark(
        "no line is of account \(quoted(account))"
          + (isParent
            ? ", the parent of others: --by parent,account of all lines has their work, and "
              + "--format statement has a month of it" : hint(among: others)))
    }
    return (months, isParent && !form.readsAllAccounts)
  }

  private func hint(among others: Set<String>) -> String {
    settings.arguments[.onlyAccount].map { NearestNames.question($0, among: others.sorted()) } ?? ""
  }

  /// Columns of sums, or those of the history. In a file a table may be as wide as it is.
  private func table(of form: any ReportForm) -> Table {
    let terminal = Terminal(ofOutput: host)
    if form is Statement { return Table(Self.statementColumns, on: terminal) }
    let (sums, grants) = (form as? SumRows, form as? GrantRows)
    if let grants, !grants.isByProduct {
      return Table(Self.columns(ofGrants: grants.names), on: terminal)
    }
    guard let names = sums?.names ?? grants?.names else {
      return Table(HistoryTable.columns(isOfAll: true), on: terminal)
    }
    let columns = names.enumerated().map { place, column in
      TableColumn(
        Self.title(of: column.name), column.name, as: column.isNumber ? .number : .text,
        rank: place, isWhole: place < sums?.neededCount ?? names.count)
    }
    return Table(columns, on: terminal)
  }

  /// A narrow terminal first drops times and terms, then details, and never money: it adds up.
  private static func columns(ofGrants names: [(name: String, isNumber: Bool)]) -> [TableColumn] {
    names.enumerated().map { place, column in
      let name = column.name
      let form: ValueForm =
        switch name {
        case "grant": .id
        case "timestamp", "startsAt", "expiresAt", "paidFrom", "paidUntil", "endedAt": .time
        case "incomplete": .flag
        default: column.isNumber ? .number : .text
        }
      let isTerm = form == .time || ["type", "pricePerCredit"].contains(name)
      let isDetail = ["expired", "refunded"].contains(name)
      let money = ["price", "currency", "revenue", "deferred", "breakage", "refundedPrice", "kept"]
      return TableColumn(
        title(of: name), name, as: form,
        rank: place + (isTerm ? 2 : isDetail ? 1 : 0) * names.count,
        isWhole: name == "grant" || money.contains(name))
    }
  }

  /// `refundedPrice` → `REFUNDED PRICE`
  private static func title(of name: String) -> String {
    switch name {
    case "creditsWaived": "WAIVED"
    case "startsAt", "expiresAt", "endedAt": name.dropLast(2).uppercased()
    case "refundsOfCharges": "OF CHARGES"
    case "refundsOfPurchases": "OF PURCHASES"
    case _ where name.hasPrefix("tag."): name.uppercased().escapingHidden
    default: name.asWords.uppercased()
    }
  }

  /// - Parameter end: the text below a table, at its end; nil before.
  private func print(_ form: any ReportForm, _ table: Table?, end: String? = nil) {
    var output = form.output.bytes
    let statement = form as? Statement
    if let table {
      output = Array((statement?.head ?? "").utf8) + table.text(of: output)
      if let end { output += (table.takeText() + (statement?.foot ?? end)).utf8 }
    }
    printBytes(output)
    form.output.removeAll()
  }

  /// Writes other bytes than a request's result to standard output.
  func printBytes(_ bytes: [UInt8]) { bytes.span.withBytes { _ = errors.writeOutput($0) } }

  private func reportLine(
    _ value: JSONValue, line: Int, for form: any ReportForm
  ) throws(CreditError) -> ReportLine {
    if let transaction = ReportLine(value) {
      if transaction.source >= form.need { return transaction }
      let lack =
        form.need == .history
        ? "a price, not a transaction as credit-history prints it"
        : "a price without usedAt, so its day is not known: jq -c '.usedAt = (now | todate)' "
          + "makes it today's"
      throw .invalidRequest("line \(line) is \(lack)")
    }
    throw Self.error(in: value, line: line)
      ?? CreditError(
        .invalidRequest,
        "line \(line) is not a transaction as credit-history prints it"
          + (value.hasMember("buckets") ? ", but a balance" : ReportLine.lack(of: value)))
  }

  /// Returns the error that a line of the input is; nil if it is another value.
  static func error(in value: JSONValue, line: Int) -> CreditError? {
    guard let code = CreditError.Code(ofResult: value) else { return nil }
    let message = value.member("error")?.string("message") ?? code.rawValue
    return CreditError(code, "line \(line) is an error: \(quoted(message))")
  }

  /// Hands on the values of standard input, with the lines that they begin on. Notes an input
  /// without any.
  func forEachInputValue(
    _ add: (JSONValue, Int) throws(CreditError) -> Void, afterBlock: () -> Void = {}
  ) throws(CreditError) {
    let input = RequestInput(host.streams)
    var (isAtEnd, isEmpty) = (false, true)
    while !isAtEnd && !errors.outputHasFailed {
      isAtEnd = try input.fill()
      while let arrival = input.next() {
        switch consume arrival {
        case .value(let value, let line):
          isEmpty = false
          try add(value, line)
        case .malformed(let error, _):
          throw CreditError(
            error.code, error.message + "; a history is lines of JSON, without --format and --get",
            error.details)
        case .word: break
        }
      }
      afterBlock()
    }
    if isEmpty, isAtEnd { errors.remark("standard input is empty: no lines of credit-history") }
  }
}

extension ParsedArguments {
  fileprivate var isByGrant: Bool { ["grant", "grant,product"].contains(self[.by]) }
}
