internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  /// `credit-doctor`: a line for each thing that was looked at, and an exit status for monitoring.
  func examine() {
    let columns = [
      TableColumn("CHECK", "check", as: .word(), rank: 0, isWhole: true),
      TableColumn("STATE", "state", as: .word(), rank: 0, isWhole: true),
      TableColumn("WHAT IT SAYS", "message", rank: 1, isWhole: true),
    ]
    printLines(as: .table(columns)) { output throws(CreditError) in
      Examination(try openStore(isReadOnly: true), self, output).run()
    }
  }

  func noteAhead(_ time: Timestamp, of store: any Store) {
    guard let end = store.systemTime.adding(Ledger.clockTolerance), end < time else { return }
    errors.remark(
      once:
        "the store's newest record is of \(time.text), and its clock never runs back: until then "
        + "new records get that time; credit-doctor says what to do")
  }

  var clock: String { settings.arguments.has(.now) ? "--now" : "CREDIT_NOW" }

  /// Notes that the first request takes a simulated clock to the present: its accounts never go
  /// back, so that later times of the simulation would count as this one. Or that the run asks for
  /// an earlier time than a real clock can give it.
  func noteClock(_ request: RequestSource, of store: any Store, isSimulated: Bool) {
    let asked = settings.now
    guard !settings.isQuiet, isSimulated == (asked == nil),
      !isSimulated || request.value?.hasMember("now") != true
    else { return }
    guard let books = try? store.books(), let end = try? books.bookmark().position,
      let last = try? books.summary(before: end).lastTime
    else { return }
    if let asked {
      guard asked < last else { return }
      let advice = tool.id == .charge ? "; --used-at says when work was done" : ""
      return errors.remark(
        "\(clock) \(asked.text) is before the newest record of \(last.text): a real clock never "
          + "runs back, so a new record gets at least that time\(advice)")
    }
    guard let next = last.adding(.seconds(86_400)), next < store.systemTime else { return }
    errors.remark(
      "the store's clock is simulated, its newest record is of \(last.text), and neither --now nor "
        + "CREDIT_NOW is set: the time of this one is \(store.systemTime.text)")
  }
}

/// The checks of a store, one after another: a check that cannot be made is one that failed.
private final class Examination {
  private let store: any Store
  private let command: Command
  private let output: ResultOutput
  private var failed: [String] = []
  private var warned: [String] = []
  /// The message if there is no store to examine.
  private var noStore: String?

  /// A disk with less than this share free is nearly full.
  private static let freePercent: Int64 = 5
  private static let leastFreeBytes: Int64 = 16 << 20
  /// Prices that were looked up so long ago may have changed.
  private static let oldDays: Int64 = 90

  init(_ store: any Store, _ command: Command, _ output: ResultOutput) {
    self.store = store
    self.command = command
    self.output = output
  }

  func run() {
    var health: StoreHealth?
    check("lock") { () throws(CreditError) in
      try store.requireExists()
      health = try store.health()
      guard let health else { return .ok("the server keeps it") }
      guard health.wasLocked else { return .ok("free") }
      guard let holder = health.holder else { return .ok("another process had it for a moment") }
      return .ok(
        "\(plainOrQuoted(holder.command)) (process \(holder.process)) had it for a moment"
      ).with { $0.holder = holder.detail }
    }
    // Further checks would wait for the lock, or for a server, again.
    if failed.isEmpty {
      var info: StoreInfo?
      check("store") { () throws(CreditError) in
        info = try store.info()
        return info.map { Self.size($0, at: store.location.path) } ?? .ok("")
      }
      if info != nil || health?.failedSync != nil {
        check("journal") { () throws(CreditError) in try journal(info, health) }
      }
      if let health {
        check("files") { () throws(CreditError) in Self.files(health) }
        check("space") { () throws(CreditError) in Self.space(health, info) }
      }
      if info != nil, health == nil {
        check("tables") { () throws(CreditError) in Self.tables(try store.tableAdditions() ?? []) }
      }
      check("clock") { () throws(CreditError) in clock(info) }
      check("policy") { () throws(CreditError) in try policy() }
      // They are by the policy's rules.
      if info != nil, (try? store.policy()) != nil {
        check("balances") { () throws(CreditError) in try balances() }
      }
      if command.settings.arguments[.checkAge] {
        check("prices") { () throws(CreditError) in age(of: try store.policyAsKept().priceDates) }
        check("defaults") { () throws(CreditError) in age(of: .standard) }
      }
      if command.settings.arguments[.doctorVerify] {
        check("verify") { () throws(CreditError) in try verify() }
      }
    }
    // The failed checks are for cron's mail.
    if !failed.isEmpty {
      command.errors.remark(noStore ?? "failed: \(failed.joined(separator: ", "))")
    }
    if !warned.isEmpty {
      command.errors.report(CreditError(.warnings, "to look at: \(warned.joined(separator: ", "))"))
    }
  }

  private func check(_ first: String, _ body: () throws(CreditError) -> Diagnosis) {
    var name = first
    var finding: Diagnosis
    do throws(CreditError) {
      finding = try body()
    } catch {
      let isNew = error.code == .noStore && !store.location.isNamed
      let message = isNew ? "the tools work, but \(error.message)" : error.message
      finding = Diagnosis(state: .error, message: message, code: error.code)
      if error.code == .noStore { (name, noStore) = ("store", message) }
    }
    if let code = finding.code { command.errors.note(code) }
    if finding.state == .error { failed.append(name) }
    if finding.state == .warning { warned.append(name) }
    finding.check = name
    output.printObject { $0.examined(finding) }
  }

  // MARK: The folder

  private static func size(_ info: StoreInfo, at path: String) -> Diagnosis {
    let accounts = info.summary.accountCount
    return .ok(
      "\(info.summary.recordCount.grouped) records of \(accounts.grouped) "
        + "account\(accounts == 1 ? "" : "s") in \(Int64(info.bytes).inBytes), version "
        + "\(info.version)"
    ).with { $0.size = (path, info) }
  }

  private func journal(
    _ info: StoreInfo?, _ health: StoreHealth?
  ) throws(CreditError) -> Diagnosis {
    if let reason = health?.failedSync { throw CreditError(StoreFault.marked(reason: reason)) }
    if let lost = info?.lost {
      throw CreditError(
        .corruptStore, "\(ShortenedJournal.missing(lost)) at its end; restore a backup")
    }
    let torn = info?.tornTails ?? []
    guard !torn.isEmpty else {
      let advice = command.settings.arguments[.doctorVerify] ? "" : "; --verify reads every record"
      return .ok("no append was cut short\(advice)")
    }
    let files = torn.compactMap(\.file)
    var words: [String] = []
    if files.count < torn.count {
      words.append("the append at its end was cut short, or damaged later; a write sets it aside")
    }
    if !files.isEmpty {
      words.append(
        "appends that were cut short, or damaged later, were set aside: "
          + "\(files.joined(separator: ", ")); remove them once you have looked at them")
    }
    return .warning(words.joined(separator: "; ")).with { $0.tornTails = torn }
  }

  private static func files(_ health: StoreHealth) -> Diagnosis {
    if let reason = health.forbidden { return .warning("no write is possible here: \(reason)") }
    if let system = health.networkFileSystem {
      return .warning("they are on \(system), whose locks and syncs depend on another machine")
    }
    let advice = health.otherFile == nil ? "" : ", or give the store one of its own"
    if health.isFolderExposed {
      return .warning("other users may write to the store's folder; run chmod o= on it\(advice)")
    }
    guard !health.exposedFiles.isEmpty else { return .ok("only owner and group may open them") }
    let names = health.exposedFiles.joined(separator: ", ")
    return .warning("other users may open \(names); run chmod o= on the store's folder\(advice)")
      .with { $0.exposedFiles = health.exposedFiles }
  }

  private static func space(_ health: StoreHealth, _ info: StoreInfo?) -> Diagnosis {
    guard let space = health.space else { return .ok("the system does not report the free space") }
    let facts: (inout Diagnosis) -> Void = { $0.space = space }
    let text = "\(space.free.inBytes) of \(space.total.inBytes) free"
    if space.free < leastFreeBytes {
      return Diagnosis(state: .error, message: text, code: .ioError).with(facts)
    }
    if space.free < space.total / 100 * freePercent {
      return .warning("\(text): the disk is nearly full").with(facts)
    }
    if space.free < Int64(info?.bytes ?? 0) {
      return .warning("\(text): too little to rebuild the store").with(facts)
    }
    return .ok(text).with(facts)
  }

  private static func tables(_ additions: [String]) -> Diagnosis {
    guard let first = additions.first else { return .ok("as the tools made them") }
    let others = additions.count > 1 ? " and \(additions.count - 1) more" : ""
    return .warning("others may change what is written or read: \(first)\(others)")
      .with { $0.additions = additions }
  }

  // MARK: The books

  private func clock(_ info: StoreInfo?) -> Diagnosis {
    if let policy = try? store.policy(), policy.clockIsSimulated { return .ok("simulated") }
    let (own, now) = (command.host.systemTime, store.systemTime)
    // As far as a request's own time may be ahead.
    let tolerance = Ledger.clockTolerance.milliseconds / 1000
    let apart = abs(own.milliseconds - now.milliseconds) / 1000
    if apart > tolerance {
      return .warning("this machine's clock and the server's differ by \(apart.grouped) s")
    }
    let ahead = ((info?.summary.lastTime ?? now).milliseconds - now.milliseconds) / 1000
    if ahead > tolerance {
      return .warning(
        "it is \(ahead.grouped) s behind the newest record: until then new records get that "
          + "record's time; if the policy has \"clock\":\"simulated\", only those of its account "
          + "do; a backup that was made before that record is not affected"
      ).with { $0.behindSeconds = ahead }
    }
    return .ok(now.text)
  }

  private func policy() throws(CreditError) -> Diagnosis {
    let policy = try store.policy()
    let hasSecrets = try PaymentRequests(store, command).checkSecrets(of: policy.payments)
    let draft = try store.policyAsKept()
    let prices = draft.improbablePrices
    var zone: String?
    do { _ = try draft.zone?.zone() } catch { zone = error.message }
    var text = zone ?? prices.sentences.first ?? "valid"
    if zone == nil, prices.count > 1 {
      text += ", and \(prices.count - 1) more prices like it"
    }
    let unpriced = policy.products.count { $0.price == nil }
    if unpriced > 0 { text += "; products without a price, and so without revenue: \(unpriced)" }
    if !hasSecrets { text += "; the secret files of its events are not on this machine" }
    let warnings = [zone].compactMap(\.self) + prices.sentences
    return Diagnosis(state: warnings.isEmpty ? .ok : .warning, message: text).with {
      if !warnings.isEmpty { $0.warnings = warnings }
      if !hasSecrets { $0.secrets = "not here" }
    }
  }

  private func age(of dates: PriceDates) -> Diagnosis {
    guard let oldest = dates.oldest, let newest = dates.newest else {
      return .ok("no model says when its price was looked up").with { $0.prices = (dates, nil) }
    }
    let now = command.settings.now ?? store.systemTime
    let days =
      max(0, now.milliseconds - newest.milliseconds) / TimeSpan.seconds(86_400).milliseconds
    let undated = dates.undatedCount > 0 ? ", \(dates.undatedCount) of unknown age" : ""
    let text =
      "the newest of \(dates.modelCount) prices is \(days.grouped) day\(days == 1 ? "" : "s") old "
      + "(\(oldest.dayText) to \(newest.dayText)\(undated))"
    return Diagnosis(state: days > Self.oldDays ? .warning : .ok, message: text)
      .with { $0.prices = (dates, days) }
  }

  private func balances() throws(CreditError) -> Diagnosis {
    let below = command.settings.arguments[.doctorBelow]
    let books = try OpenBooks(of: store)
    var lowest = LowestBalances(limit: 5, below: below ?? 0)
    var failure: CreditError?
    try books.accounts(now: books.now(or: command.settings.now)).forEachFast { result in
      switch result {
      case .success(let view): lowest.add(view.account.name, view.account.balance)
      case .failure(let error): failure = failure ?? error
      }
      return true
    }
    if let failure { throw failure }
    guard !lowest.all.isEmpty else { return .ok("no accounts") }
    let names = lowest.all.map { "\(plainOrQuoted($0.name.text)) \($0.balance.grouped)" }
    let text =
      "\(lowest.belowCount.grouped) below \(lowest.below.grouped); the lowest: "
      + names.joined(separator: ", ")
    let isLow = below != nil && lowest.belowCount > 0
    return Diagnosis(state: isLow ? .warning : .ok, message: text).with { $0.lowest = lowest }
  }

  private func verify() throws(CreditError) -> Diagnosis {
    let progress = ProgressLine(command)
    let summary = try store.verify { progress.show("verified", $0, of: $1) }
    guard summary.findingCount == 0 else {
      throw CreditError(
        .corruptStore,
        (summary.findingCount == 1
          ? "1 finding: " : "\(summary.findingCount) findings, the first: ")
          + (summary.findings.first?.message ?? ""))
    }
    return .ok("\(summary.records.grouped) records, and the sums are right")
  }
}

extension Int64 {
  /// A number of bytes for people: `1.2 GB`.
  fileprivate var inBytes: String {
    var (unit, value) = (0, self)
    var tenths: Int64 = 0
    while value >= 1000, unit < 5 {
      tenths = value % 1000 / 100
      value /= 1000
      unit += 1
    }
    let name = ["bytes", "kB", "MB", "GB", "TB", "PB"][unit]
    return unit == 0 || value >= 100 ? "\(value) \(name)" : "\(value).\(tenths) \(name)"
  }
}
