internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// Runs a subcommand of `credit-store` on the store.
  func onStore(_ body: (LocalStore, inout ResultPrinter) throws(CreditError) -> Void) {
    printLines { printer throws(CreditError) in try body(try openStore(), &printer) }
  }

  /// `credit-store init`: makes a store.
  func initialize() {
    onStore { store, printer throws(CreditError) in try initialize(store, &printer) }
  }

  private func initialize(_ store: LocalStore, _ printer: inout ResultPrinter) throws(CreditError) {
    let file = settings.arguments[.initialPolicy]
    let isNew =
      if let file {
        try store.create(try store.policyDraft(file), at: now)
      } else {
        try store.create(policy: Array(PolicyText.standard.utf8), at: now)
      }
    if !isNew && file != nil {
      throw CreditError(
        .cannotCreate,
        "there is a store at \(quoted(store.location.path)) already; credit-store policy --set "
          + "changes its policy",
        [.path(store.location.path)])
    }
    printer.print { output in
      output.beginObject()
      output.member("store", store.location.path)
      output.member("created", isNew)
      output.endObject()
    }
  }

  /// `credit-store info`: where the store is, and how large.
  func inform() {
    onStore { store, printer throws(CreditError) in try inform(store, &printer) }
  }

  private func inform(_ store: LocalStore, _ printer: inout ResultPrinter) throws(CreditError) {
    let reader = try openReader(store)
    let info = try reader.info()
    printer.print { output in
      output.beginObject()
      output.member("store", store.location.path)
      output.member("version", info.version)
      output.member("records", Int64(info.records))
      output.member("accounts", Int64(info.accounts))
      output.member("bytes", Int64(info.bytes))
      if let time = info.lastTime { output.member("lastTime", time) }
      output.endObject()
    }
  }

  private func openReader(_ store: LocalStore) throws(CreditError) -> StoreReader {
    guard try store.exists() else {
      throw CreditError(.noStore, "there is no store yet; credit-store init makes one")
    }
    return try StoreReader(store)
  }

  /// `credit-store policy`: prints, checks or replaces the policy.
  func changePolicy() {
    onStore { store, printer throws(CreditError) in try changePolicy(store, &printer) }
  }

  private func changePolicy(_ store: LocalStore, _ printer: inout ResultPrinter)
    throws(CreditError)
  {
    if let file = settings.arguments[.checkPolicy] {
      _ = try store.policyDraft(file)
      printer.print { $0.flag("ok") }
    } else if let file = settings.arguments[.setPolicy] {
      try store.setPolicy(try store.policyDraft(file))
      printer.print { $0.flag("set") }
    } else {
      let text = try store.policyText()
      printer.print { output in
        let document = try? JSONDocument(text)
        document?.withRoot { JSONCompact.write($0, into: &output) }
      }
    }
  }

  /// `credit-store rebuild`: makes the index anew.
  func rebuild() {
    onStore { store, printer throws(CreditError) in
      try store.rebuild()
      printer.print { $0.flag("rebuilt") }
    }
  }
}

extension JSONWriter {
  /// One object that says that something is so.
  fileprivate mutating func flag(_ key: StaticString) {
    beginObject()
    member(key, true)
    endObject()
  }
}
