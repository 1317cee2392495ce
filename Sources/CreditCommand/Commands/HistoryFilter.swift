internal import CreditFinance
internal import CreditModel

struct HistoryFilter {
  let kind: HistoryLine.Kind?
  let status: Transaction.Status?
  let since: Timestamp?
  let until: Timestamp?
  /// True to count work at the time of its charge.
  let isByRecord: Bool
  let search: String?
  let tags: Tags?
  let grant: Name?
  /// The most lines; `Int.max` for all.
  let limit: Int
  let offset: Int

  /// - Parameter clock: the clock by which a month begins; the flags of an instant have their own.
  init(_ arguments: ParsedArguments, _ clock: ReportClock) throws(UsageError) {
    kind = arguments[.onlyType].flatMap(HistoryLine.Kind.init(rawValue:))
    status = arguments[.onlyStatus].flatMap(Transaction.Status.init(rawValue:))
    let month = try arguments[.month].map(Self.month)
    since = month.map { clock.start(ofDay: $0.dayNumber) } ?? arguments[.since]
    until = month.map { clock.start(ofDay: $0.nextMonth.dayNumber) } ?? arguments[.until]
    if let since, let until, since >= until {
      throw UsageError("no time lies between --since and --until: --since is not before --until")
    }
    isByRecord = arguments[.byRecord]
    search = arguments[.search]
    tags = try arguments.tags(.onlyTag)
    grant = arguments[.onlyGrant].map(Name.init(trusted:))
    limit = arguments[.limit].map(Int.init) ?? 20
    offset = arguments[.offset].map(Int.init) ?? 0
  }

  private static func month(_ text: String) throws(UsageError) -> Timestamp {
    if let month = Timestamp(monthText: text) { return month }
    let parts = text.split { "-./ ".contains($0) }.map { $0.utf8.count == 1 ? "0" + $0 : $0 }
    let year = parts.firstIndex { $0.utf8.count == 4 } ?? 0
    let isDigits = parts.count == 1 && text.utf8.count == 6
    let hasMonth = parts.count == 2 || parts.count == 3 && year == 0
    let month =
      isDigits
      ? "\(text.prefix(4))-\(text.suffix(2))"
      : hasMonth ? "\(parts[year])-\(parts[1 - year])" : ""
    throw UsageError(
      "--month takes a month such as 2026-02, not \(quoted(text))"
        + (Timestamp(monthText: month) == nil
          ? month.isEmpty ? "" : "; that month does not exist"
          : "; did you mean \(month)?"))
  }

  var isSelective: Bool {
    kind != nil || status != nil || since != nil || until != nil || search != nil
      || tags != nil || grant != nil
  }

  func lack(at now: Timestamp) -> String? {
    guard let since, since > now else { return nil }
    return "--since \(since.text) is later than now, \(now.text)"
  }

  func wants(_ line: HistoryLine) -> Bool {
    if let kind, line.kind != kind { return false }
    if let status, line.status != status { return false }
    let time = line.time(isByRecord: isByRecord)
    if let since, time < since { return false }
    if let until, time >= until { return false }
    if let tags, !(line.tags?.contains(tags) ?? false) { return false }
    // The grant paid for it, or got credits of it back.
    let isOfUse = line.kind == .usage || line.credits > 0
    if let grant, !isOfUse || line.taken?.contains(where: { $0.grant?.id == grant }) != true {
      return false
    }
    guard let search else { return true }
    let ids = [line.id, line.key, line.productID, line.originalTransactionID]
    return ids.contains { $0?.text.utf8.contains(search) ?? false }
  }
}

/// The tags of lines that lack the wanted ones, for a message.
struct SeenTags {
  private var values: [String: Set<String>] = [:]
  private var count = 0

  /// The most tags that are kept.
  private static let limit = 1000

  mutating func add(_ tags: Tags?) {
    tags?.forEachTag { name, value in
      if count < Self.limit, values[name, default: []].insert(value).inserted { count += 1 }
    }
  }

  /// Returns a sentence on the first wanted tag that no line has, with the nearest; nil if each is
  /// in some line.
  func lack(of wanted: Tags) -> String? {
    var lack: String?
    wanted.forEachTag { name, value in
      if lack != nil || values[name]?.contains(value) == true { return }
      let known = values[name] ?? Set(values.keys)
      let (text, word) = values[name] == nil ? (name, name) : ("\(name)=\(value)", value)
      lack =
        "no line has the tag \(quoted(text))"
        + NearestNames.hint(
          NearestNames.find(Name(trusted: word), among: known.map(Name.init(trusted:))))
    }
    return lack
  }
}

extension Command {
  func runHistory() throws(UsageError) {
    let clock = try reportClock()
    let filter = try HistoryFilter(settings.arguments, clock)
    if settings.arguments.has(.timeZone), !settings.arguments.has(.month) {
      let time = (filter.since ?? filter.until).map { clock.start(ofDay: $0.dayNumber).text }
      throw UsageError(
        "--time-zone needs --month" + (time.map { "; that day begins there at \($0)" } ?? ""))
    }
    let service: HistoryService
    do {
      service = HistoryService(self, try openStore(), filter)
    } catch {
      return printError(error)
    }
    let columns = HistoryTable.columns(isOfAll: !settings.arguments.has(.account))
    let isPage = settings.arguments[.page]
    if settings.arguments[.follow] || settings.arguments.has(.after) {
      return printLines(as: .table(columns), service.feed)
    }
    if settings.arguments[.open] {
      let form: TerminalForm = isPage ? .answer : .table(HistoryTable.openColumns)
      return printLines(as: form, service.listOpen)
    }
    if let id = settings.arguments[.receipt] {
      return printLines { output throws(CreditError) in
        try service.printReceipt(of: id, output)
      }
    }
    if let id = settings.arguments[.wholeTransaction] {
      return printLines { output throws(CreditError) in
        try service.printTransaction(id, output)
      }
    }
    // The page of one account is the result of a request.
    let grant = settings.arguments[.all] ? nil : settings.arguments[.onlyGrant]
    if grant != nil || settings.arguments[.all] || settings.arguments.has(.account) && !isPage {
      return printLines(as: isPage ? .answer : .table(columns)) { output throws(CreditError) in
        _ = try service.beginBatch(expecting: 1)
        guard let grant else { return try service.listAsTable(try settings.account(), output) }
        let (_, entry) = try service.topUp(grant, "grant")
        try service.listAsTable(entry.topUp.transaction.account, output)
      }
    }
    try serve(service)
  }
}
