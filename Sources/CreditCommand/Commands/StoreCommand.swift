internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  func onStore(
    as form: TerminalForm = .answer,
    _ body: (any Store, ResultOutput) throws(CreditError) -> Void
  ) {
    printLines(as: form) { output throws(CreditError) in try body(try openStore(), output) }
  }

  func initialize() throws(UsageError) {
    let file = settings.arguments[.initialPolicy]
    try requireInput(for: file)
    let makesRoles = settings.arguments[.roles]
    if makesRoles, settings.store?.isURL == false {
      throw UsageError("--roles is for a store on a server")
    }
    onStore { store, output throws(CreditError) in
      let policy = try file.map { file throws(CreditError) in try policyDraft(file, for: store) }
      let isNew = try store.create(policy, at: settings.now)
      if makesRoles { try store.makeRoles() }
      if isNew { policy.map(remarkOnPrices) }
      if isNew, let name = try? store.health()?.otherFile {
        errors.remark(
          "the folder has other files, such as \(quoted(name)); give a store its own folder: "
            + "to remove this one, delete journal.jsonl, lock and policy.json")
      }
      output.printObject { $0.created(isNew, at: store.location.path) }
    }
  }

  func inform() {
    onStore { store, output throws(CreditError) in
      let info = try store.info()
      output.printObject { $0.storeInfo(info, at: store.location.path) }
    }
  }

  func changePolicy() throws(UsageError) {
    let (checked, set) = (settings.arguments[.checkPolicy], settings.arguments[.setPolicy])
    try requireInput(for: checked)
    try requireInput(for: set)
    let isPrinted = checked == nil && set == nil
    onStore(as: isPrinted ? .document : .answer) { store, output throws(CreditError) in
      if let checked {
        remark(on: try policyDraft(checked, for: store), for: store)
        output.printObject { $0.done("ok") }
      } else if let set {
        let draft = try policyDraft(set, for: store)
        remark(on: draft, for: store)
        let old = try? store.policyText()
        let isDry = settings.arguments[.dryRun]
        if !isDry { try store.setPolicy(draft) }
        if let old {
          // With the author's names of files.
          let new = isDry ? draft.text : (try? store.policyText()) ?? draft.text
          let changes = Self.changes(from: old, to: new)
          for change in changes.prefix(Self.changeLimit) { errors.remark(change) }
          let others = changes.count - Self.changeLimit
          if others > 0 { errors.remark("and \(others) more changes") }
          try remarkOnPlans(of: store, from: old, to: new)
          if let last = try? store.info().summary.lastTime,
            (try? store.policy())?.clockIsSimulated == false
          {
            noteAhead(last, of: store)
          }
        } else {
          errors.remark("the previous policy could not be read, and is replaced")
        }
        if isDry { noteDryRun() }
        output.printObject { $0.done(isDry ? "ok" : "set") }
      } else {
        let text = try store.policyText()
        output.print { writer in
          let document = try? JSONDocument(text)
          document?.withRoot { JSONCompact.write($0, into: &writer) }
        }
      }
    }
  }

  private static let changeLimit = 20

  /// Settings that the next policy changes: `overdraft: "deny" -> "allow"`, `models: 40 -> 1,
  /// without "a", "b", "c" and 36 more`, `product "pack" credits: 100 -> 10`.
  private static func changes(from old: [UInt8], to new: [UInt8]) -> [String] {
    let (before, after) = (settings(in: old), settings(in: new))
    // A model whose price begins at another time is the same one.
    func next(_ entry: String) -> [String: String]? {
      let isNew = { after[entry] == nil && before[$0] == nil && $0.hasPrefix("model ") }
      let same = after.filter {
        isNew($0.key) && entry.hasPrefix("model ") && $0.value["id"] == before[entry]?["id"]
      }
      return after[entry] ?? same.min { $0.key < $1.key }?.value
    }
    // It states the defaults.
    let standard = settings(in: PolicyText.standard)[""] ?? [:]
    return before.keys.sorted().flatMap { entry -> [String] in
      guard let old = before[entry], let new = next(entry) else { return [] }
      return Set(old.keys).union(new.keys).sorted().compactMap { name in
        let isList = entry.isEmpty && lists.contains(name)
        let other = isList ? "[]" : (entry.isEmpty ? standard[name] : nil) ?? "not set"
        let (old, new) = (old[name] ?? other, new[name] ?? other)
        let (kind, isFewer) = ("\(name.dropLast()) ", Int(new) ?? 0 < Int(old) ?? 0)
        let removed = before.keys.filter { isList && next($0) == nil && $0.hasPrefix(kind) }
        if removed.isEmpty, isList ? !isFewer : old == new { return nil }
        let ids = removed.sorted().prefix(3).map { $0.dropFirst(kind.utf8.count) }
        return "\(entry)\(entry.isEmpty ? "" : " ")\(name): \(old) -> \(new)"
          + (ids.isEmpty ? "" : ", without \(ids.joined(separator: ", "))")
          + (removed.count > 3 ? " and \(removed.count - 3) more" : "")
      }
    }
  }

  private static let lists = ["models", "products", "plans", "events"]

  /// Returns a policy's members as JSON; of a list of objects, their number. Models, products and
  /// plans have an entry each, with the parts of their objects as members.
  private static func settings(in policy: [UInt8]) -> [String: [String: String]] {
    var settings: [String: [String: String]] = ["": [:]]
    func add(_ value: JSONValue, _ name: String, of entry: String) {
      if value.isObject, !entry.isEmpty {
        for (part, value) in value.members {
          add(value, "\(name).\(part.string ?? "")", of: entry)
        }
        return
      }
      let text = String(decoding: JSONCompact.text(of: value), as: UTF8.self)
      let count = entry.isEmpty ? value.elements.count(where: \.isObject) : 0
      let amount = entry.isEmpty ? nil : value.amount?.text
      settings[entry, default: [:]][name] = count > 0 ? "\(count)" : amount ?? text
    }
    try? JSONDocument(policy).withRoot { policy in
      for (name, value) in policy.members where !value.isNull {
        let name = name.string ?? ""
        add(value, name, of: "")
        for item in value.elements where lists.contains(name) && item.hasMember("id") {
          let from = item.string("from").map { " from \($0)" } ?? ""
          let entry = "\(name.dropLast()) \(quoted(item.string("id") ?? ""))\(from)"
          settings[entry] = [:]
          for (name, value) in item.members { add(value, name.string ?? "", of: entry) }
        }
      }
    }
    return settings
  }

  private func remarkOnPrices(of draft: PolicyDraft) {
    let prices = draft.improbablePrices
    for sentence in prices.sentences { errors.remark("\(sentence): is that meant?") }
    let others = prices.count - prices.sentences.count
    if others > 0 { errors.remark("and \(others) more prices like these") }
  }

  private func remark(on draft: PolicyDraft, for store: any Store) {
    remarkOnPrices(of: draft)
    for sentence in draft.remarks { errors.remark(sentence) }
    do throws(CreditError) {
      _ = try PaymentRequests(store, self).checkSecrets(of: draft.payments)
    } catch {
      errors.remark("\(error.message); events are refused until then")
    }
  }

  /// Says which accounts have a plan that the policy had, and lacks now.
  private func remarkOnPlans(of store: any Store, from old: [UInt8], to new: [UInt8])
    throws(CreditError)
  {
    let removed = Set(Self.settings(in: old).keys).subtracting(Self.settings(in: new).keys)
    if !removed.contains(where: { $0.hasPrefix("plan ") }) { return }
    var counts: [Name: Int] = [:]
    try visitAccounts(of: store) { if let plan = $0.plan { counts[plan, default: 0] += 1 } }
    for (plan, count) in counts.sorted(by: { $0.key < $1.key })
    where removed.contains("plan \(quoted(plan.text))") {
      errors.remark(
        (count == 1 ? "1 account has" : "\(count) accounts have")
          + " plan \(quoted(plan.text)), which the policy lacks now: its quota and limits end")
    }
  }

  func visitAccounts(of store: any Store, _ visit: (Account) -> Void) throws(CreditError) {
    let books = try store.books()
    _ = try books.searchAccounts(before: books.bookmark().position) { stored -> Never? in
      visit(stored.record.account)
      return nil
    }
  }

  /// The name that stands for standard input instead of a file.
  static let standardInput = "-"

  /// Refuses to wait at a terminal for the file that a flag names.
  func requireInput(for file: String?) throws(UsageError) {
    if file == Self.standardInput { try requireInput() }
  }

  private func policyDraft(_ file: String, for store: any Store) throws(CreditError)
    -> PolicyDraft
  {
    let isInput = file == Self.standardInput
    let text = isInput ? try host.streams.readAll(limit: InputFile.byteLimit) : []
    if isInput, text.allSatisfy({ $0 <= UInt8(ascii: " ") }) {
      throw CreditError(.invalidPolicy, "there is no policy on standard input")
    }
    let draft: PolicyDraft
    do throws(CreditError) {
      draft = try isInput ? store.policyDraft(text: text) : store.policyDraft(file)
    } catch {
      let isMember = PolicyShape.policy.allows(String(file.prefix { $0 != "=" }))
      guard error.code == .ioError, isMember || file.hasPrefix("{") else { throw error }
      throw error.with(.hint("; a file has the whole policy: credit-store policy --pretty > FILE"))
    }
    try draft.checkZone()
    return draft
  }

  func rebuild() throws(UsageError) {
    let progress = ProgressLine(self)
    let file = settings.arguments[.dropDamaged]
    if file != nil, settings.store?.isURL == true {
      throw UsageError("--drop-damaged is for a store in a directory")
    }
    onStore { store, output throws(CreditError) in
      guard let file else {
        try store.rebuild { progress.show("rebuilt", $0, of: $1) }
        return output.printObject { $0.rebuilt(nil) }
      }
      let dropped = try store.rebuild(droppingDamagedInto: file) {
        progress.show("rebuilt", $0, of: $1)
      }
      for sentence in dropped?.sentences ?? [] { errors.remark(sentence) }
      output.printObject { $0.rebuilt(dropped) }
    }
  }
}

extension DroppedRecords {
  fileprivate var sentences: [String] {
    var sentences: [String] = []
    if let file {
      sentences.append(
        "\(bytes) bytes from \(places) place\(places == 1 ? "" : "s") of the journal could not be "
          + "read; they are in \(quoted(file))")
    }
    if lost > 0 { sentences.append("\(ShortenedJournal.missing(lost)) at the journal's end") }
    let names = accounts.prefix(Self.namedCount).map { quoted($0.text) }.joined(separator: ", ")
    let others = accounts.count - Self.namedCount
    let more = others > 0 ? " and \(others) more" : ""
    sentences.append(
      accounts.isEmpty
        ? "the accounts of the missing records are unknown"
        : "records of account\(accounts.count == 1 ? "" : "s") \(names)\(more) are missing")
    sentences.append(
      "balances are those of the newest readable records; if the request of a dropped record is "
        + "repeated with the same id or key, it charges or grants again")
    return sentences
  }

  private static let namedCount = 10
}
