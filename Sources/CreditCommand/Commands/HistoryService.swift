internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// Prints transactions: lines of the history, pages, open authorizations, and single transactions.
final class HistoryService: RequestService {
  private let command: Command
  private let books: OpenBooks
  private let filter: HistoryFilter
  /// The names of the policy's products that differ from their ids, each looked up once.
  private var productNames: [Name: String?] = [:]
  /// Whether lines that are left out have been noted.
  private var hasNotedRest = false

  init(_ command: Command, _ store: any Store, _ filter: HistoryFilter) {
    self.command = command
    books = OpenBooks(store, command)
    self.filter = filter
  }

  func beginBatch(expecting count: Int) throws(CreditError) -> Batch? {
    try books.refresh()
    productNames = [:]
    return nil
  }

  func take(_ request: RequestSource, text: [UInt8]?, in batch: Batch?, to output: ResultOutput)
    throws(CreditError) -> GateRequest?
  {
    let context = try command.context(under: books.policy())
    let (account, time) = try RequestReader(request, context).history()
    let now = time ?? books.now(or: command.settings.now)
    try list(account, now: now, text: text, output)
    return nil
  }

  func listAsTable(_ account: Name?, _ output: ResultOutput) throws(CreditError) {
    let table =
      command.settings.areForPeople
      ? HistoryTable(isOfAll: account == nil, on: Terminal(ofOutput: command.host)) : nil
    try list(account, now: books.now(or: command.settings.now), text: nil, output, table)
  }

  /// Prints the lines of one or all accounts, singly or as a page.
  /// - Parameter table: the table for a terminal; nil to print the lines alone.
  private func list(
    _ account: Name?, now: Timestamp, text: [UInt8]?, _ output: ResultOutput,
    _ table: HistoryTable? = nil
  ) throws(CreditError) {
    let history = try books.history(of: account, now: now)
    var isUnknown = false
    if let account { isUnknown = try command.noteUnregistered(account, in: books) }
    let isPage = command.settings.arguments[.page]
    let countsAll = filter.isSelective && (isPage || table != nil)
    let last = filter.limit == 0 ? Int.max : filter.offset.addingSaturating(filter.limit)
    // If all lines are printed, those before the first one are not read.
    var number = filter.isSelective ? 0 : filter.offset
    var page: [HistoryLine] = []
    let notesRest =
      !isPage && table == nil && !hasNotedRest && !command.settings.arguments.has(.limit)
    var isCut = false
    var seen = SeenTags()
    try history.forEachLine(from: number) { line in
      guard filter.wants(line) else {
        if number == 0, filter.tags != nil { seen.add(line.tags) }
        return true
      }
      number += 1
      if number > last, notesRest {
        isCut = true
        return false
      }
      if number > filter.offset && number <= last {
        if isPage {
          page.append(named(line))
        } else {
          table?.add(line)
          output.print(request: text) { $0.historyLine(named(line)) }
          guard output.flushIfFull() else { return false }
        }
      }
      return number < last || countsAll || notesRest
    }
    if isCut {
      // A reader of a pipe takes the default number of lines for the whole history.
      hasNotedRest = true
      let all = filter.isSelective ? "of the" : "of \(history.count)"
      command.errors.remark("\(filter.limit) \(all) lines are printed; --limit 0 prints all")
    }
    let total = filter.isSelective ? number : history.count
    if total == 0, !isUnknown {
      let lack = filter.tags.flatMap(seen.lack) ?? filter.lack(at: now)
      let found = filter.search.map {
        "no transaction has \(quoted($0)) in its id, key or product; its model is not searched"
      }
      let sentence = table == nil ? lack : lack ?? found ?? "no transaction matches"
      if let sentence { command.errors.remark(sentence) }
    }
    if isPage {
      output.print(request: text) {
        $0.page(of: page, total: total, limit: filter.limit, offset: filter.offset) {
          $0.historyLine($1)
        }
      }
    } else if let table {
      output.finishTable(notes: table.notes(total: total, offset: filter.offset))
    }
  }

  /// Prints the authorizations that are neither charged nor voided.
  func listOpen(_ output: ResultOutput) throws(CreditError) {
    _ = try beginBatch(expecting: 1)
    let account = try command.settings.account()
    if let account { try command.noteUnregistered(account, in: books) }
    let now = books.now(or: command.settings.now)
    let isPage = command.settings.arguments[.page]
    let isLimited = isPage || command.settings.arguments.has(.limit)
    let limit = isLimited && filter.limit > 0 ? filter.limit : Int.max
    let last = filter.offset.addingSaturating(limit)
    var page: [CreditAuthorization] = []
    var number = 0
    try OpenAuthorizations(of: account, in: books.ledger).forEachOne { authorization in
      let time = authorization.timestamp
      if let since = filter.since, time < since { return true }
      if let until = filter.until, time >= until { return true }
      number += 1
      guard number > filter.offset, number <= last else { return isPage || number < last }
      if isPage {
        page.append(authorization)
        return true
      }
      output.print { $0.openAuthorization(authorization, now: now) }
      return output.flushIfFull() && number < last
    }
    if isPage {
      output.print {
        $0.page(of: page, total: number, limit: filter.limit, offset: filter.offset) {
          $0.openAuthorization($1, now: now)
        }
      }
    }
  }

  func printReceipt(of text: String, _ output: ResultOutput) throws(CreditError) {
    _ = try beginBatch(expecting: 1)
    let id = try Name(checked: text, as: "receipt")
    let newest = try books.ledger.newest(of: .authorization(id))
    guard let entry = try newest.flatMap(AuthorizationEntry.init) else {
      throw CreditError(
        .unknownAuthorization,
        "no authorization \(quoted(text)) in the store; a charge's key is found by --account NAME "
          + "--search KEY")
    }
    if let account = try command.settings.account(), account != entry.authorization.account {
      throw CreditError(ofAnotherAccount: id)
    }
    switch entry.state {
    case .charged(let charge): output.print { $0.receipt(of: charge) }
    case .refunded(let charge, let refund):
      output.print { $0.receipt(of: charge, after: refund) }
    case .open, .voided:
      throw CreditError(notCharged: entry.authorization)
    }
  }

  /// Prints a top-up, with the App Store's signed text if it was kept.
  func printTransaction(_ text: String, _ output: ResultOutput) throws(CreditError) {
    _ = try beginBatch(expecting: 1)
    let (newest, entry) = try topUp(text, "transaction")
    let first = try books.ledger.records(at: [entry.position])[0]
    guard let first, var line = first.record.historyLine else { return }
    if let revision = try books.ledger.revision(of: first, by: newest) { line.apply(revision) }
    let now = books.now(or: command.settings.now)
    if line.status == .scheduled {
      let history = try books.history(of: line.account, now: now)
      if let revision = history.starts[entry.position] { line.apply(revision) }
    }
    line.event = entry.topUp.payment?.event
    let use = try GrantUse.of(entry, in: books.ledger, policy: try books.policy(), now: now)
    output.print {
      $0.historyLine(named(line), signedText: entry.topUp.transaction.signedText, use: use)
    }
  }

  /// Returns a top-up, which is of the account of the command line, if that names one.
  func topUp(_ text: String, _ key: StaticString) throws(CreditError)
    -> (newest: StoredRecord, entry: TransactionEntry)
  {
    let id = try Name(checked: text, as: key)
    let newest = try books.ledger.newest(of: .transaction(id))
    guard let newest, let entry = try TransactionEntry(newest) else {
      let isWork = try books.ledger.newest(of: .authorization(id)) != nil
      throw CreditError(
        .unknownTransaction,
        "no transaction \(quoted(text)) in the store"
          + (isWork ? "; it is an authorization: --receipt prints its charge" : ""),
        [.hint(isWork ? "" : NearestNames.hint(try books.nearestIDs(to: .transaction(id))))])
    }
    if let account = try command.settings.account(), account != entry.topUp.transaction.account {
      throw CreditError(.idempotencyConflict, "\(key) \(quoted(text)) belongs to another account")
    }
    return (newest, entry)
  }

  private func named(_ line: HistoryLine) -> HistoryLine {
    guard let id = line.productID else { return line }
    if productNames[id] == nil {
      // Without a readable catalog there are no names.
      let name = (try? books.policy().product(id))?.name
      productNames[id] = .some(name == id.text ? nil : name)
    }
    var line = line
    if let name = productNames[id] ?? nil { line.productName = name }
    return line
  }

  /// Prints the lines after a place in the order of the journal. If they are followed, also later
  /// ones, until the output is closed.
  func feed(_ output: ResultOutput) throws(CreditError) {
    let arguments = command.settings.arguments
    _ = try beginBatch(expecting: 1)
    let account = try command.settings.account()
    if let account { try command.noteUnregistered(account, in: books) }
    var feed: HistoryFeed
    if let text = arguments[.after] {
      let place = HistoryPlace(in: books.ledger, of: account)
      feed = HistoryFeed(after: try place.cursor(after: text))
    } else {
      feed = try HistoryFeed(after: books.ledger)
    }
    let isFollowed = arguments[.follow]
    if !isFollowed { try books.ledger.settle() }
    let isLimited = arguments.has(.limit) && filter.limit > 0
    var left = isLimited ? filter.limit : Int.max
    repeat {
      // The default store may not be made yet.
      if isFollowed { _ = try beginBatch(expecting: 1) }
      var failure: CreditError?
      try feed.readOn(in: books.ledger) { line in
        guard filter.wants(line.line), account == nil || account == line.line.account else {
          return true
        }
        do throws(CreditError) {
          left -= 1
          let cursor =
            command.settings.arguments[.cursor]
            ? try HistoryFeed.cursor(after: line, in: books.ledger).text : nil
          output.print {
            $0.historyLine(named(line.line), isChanged: line.isChanged, cursor: cursor)
          }
          return output.flushIfFull() && left > 0
        } catch {
          failure = error
          return false
        }
      }
      if let failure { throw failure }
      output.finishTable()
      output.flush()
    } while isFollowed && command.errors.exitStatus == 0
      && command.host.streams.waitWhileRead(milliseconds: 100)
  }
}
