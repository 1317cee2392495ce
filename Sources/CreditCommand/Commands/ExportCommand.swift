internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  func export() throws(UsageError) {
    let disclosure = try disclosure()
    var taken: Name?
    var orphans: [Name] = []
    onStore { store, _ throws(CreditError) in
      let export = try StoreExport(store, disclosure)
      for name in disclosure.renamed.values where try export.hasAccount(name) { taken = name }
      orphans = try self.orphans(of: disclosure.removed, in: store)
      if taken == nil, orphans.isEmpty { try print(export) }
    }
    if !orphans.isEmpty {
      let names = orphans.prefix(20).map { quoted($0.text) }.joined(separator: ", ")
      let others = orphans.count > 20 ? " and \((orphans.count - 20).grouped) more" : ""
      throw UsageError(
        "--without leaves out the parent of \(names)\(others): leave these out, too, or remove "
          + "their parent with credit-account --parent none")
    }
    if let taken { throw UsageError("--rename: there is an account \(quoted(taken.text)) already") }
  }

  /// Returns the remaining accounts below those that are removed, at any depth.
  private func orphans(of removed: Set<Name>, in store: any Store) throws(CreditError) -> [Name] {
    var (removed, orphans, known) = (removed, [Name](), -1)
    while known < orphans.count, !removed.isEmpty {
      known = orphans.count
      try visitAccounts(of: store) { account in
        guard let parent = account.parent, removed.contains(parent) else { return }
        if removed.insert(account.name).inserted { orphans.append(account.name) }
      }
    }
    return orphans
  }

  private func disclosure() throws(UsageError) -> RecordDisclosure {
    var renamed: [Name: Name] = [:]
    for text in settings.arguments[.rename] {
      // A name may have the sign in it: the first one that leaves two names parts them.
      let (before, after) = text.tagParts
      guard let after else { throw UsageError("--rename takes OLD=NEW") }
      let old = try accountName(before, of: "--rename")
      let new = try accountName(after, of: "--rename")
      guard renamed.updateValue(new, forKey: old) == nil else {
        throw UsageError("--rename: account \(quoted(old.text)) is given twice")
      }
    }
    if Set(renamed.values).count < renamed.count {
      throw UsageError("--rename: two accounts would have one name")
    }
    let removed = try settings.arguments[.without].map { text throws(UsageError) in
      try accountName(text, of: "--without")
    }
    if let both = removed.first(where: { renamed[$0] != nil }) {
      throw UsageError("account \(quoted(both.text)) can't be renamed and left out")
    }
    return RecordDisclosure(renamed: renamed, removed: Set(removed))
  }

  private func accountName(_ text: String, of flag: String) throws(UsageError) -> Name {
    if let problem = Name.problem(with: text, limit: Name.accountLimit) {
      throw UsageError("\(flag): the account's name \(problem)")
    }
    return Name(trusted: text)
  }

  private func print(_ export: StoreExport) throws(CreditError) {
    var output = JSONWriter(capacity: 1 << 19)
    let progress = host.streams.outputIsTerminal ? nil : ProgressLine(self)
    var hasMore = true
    while hasMore {
      var damage: CreditError?
      do {
        hasMore = try export.write(into: &output)
      } catch {
        damage = error
      }
      if !output.withBytes({ errors.writeOutput($0) }) { return }
      output.removeAll()
      progress?.show("exported", export.doneCount, of: export.recordCount)
      if let damage { throw damage }
    }
  }

  func importStore() throws(UsageError) {
    try requireInput()
    onStore { store, output throws(CreditError) in
      guard settings.arguments[.dryRun] else {
        return try take(try store.importing(), into: store, output)
      }
      // An import is checked by the same rules.
      try requireEmpty(store)
      try take(StoreImport(checkingBy: storeOptions, host.system), into: store, output)
      noteDryRun()
    }
  }

  /// A store that is not made yet is made by the import.
  private func requireEmpty(_ store: any Store) throws(CreditError) {
    do throws(CreditError) {
      guard try store.exists() else { return }
    } catch {
      if error.code == .noStore { return }
      throw error
    }
    if try store.info().summary.recordCount > 0 { throw store.hasRecords }
  }

  private func take(
    _ copy: any StoreImporting, into store: any Store, _ output: ResultOutput
  ) throws(CreditError) {
    let summary: StoreSummary
    do {
      try readInput(into: copy)
      summary = try copy.finish()
    } catch {
      copy.abandon()
      throw error
    }
    output.printObject { $0.moved(summary, to: store.location.path) }
    do {
      _ = try PaymentRequests(store, self).checkSecrets(of: try store.policy().payments)
    } catch {
      errors.remark("an export has no secrets of payment events: \(error.message)")
    }
  }

  private func readInput(into copy: any StoreImporting) throws(CreditError) {
    let progress = ProgressLine(self)
    var byteCount = 0
    try forEachPiece { block throws(CreditError) in
      try host.streams.readInput(into: block)
    } take: { piece throws(CreditError) in
      byteCount += piece.count
      progress.show("read \(byteCount >> 20) MB")
      try copy.append(piece)
    }
  }
}
