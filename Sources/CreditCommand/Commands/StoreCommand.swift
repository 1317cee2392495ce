internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// Runs a subcommand of `credit-store` on the store.
  func onStore(_ body: (LocalStore, ResultOutput) throws(CreditError) -> Void) {
    printLines { output throws(CreditError) in try body(try openStore(), output) }
  }

  /// `credit-store init`: makes a store.
  func initialize() {
    onStore { store, output throws(CreditError) in try initialize(store, output) }
  }

  private func initialize(_ store: LocalStore, _ output: ResultOutput) throws(CreditError) {
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
    output.print { writer in
      writer.beginObject()
      writer.member("store", store.location.path)
      writer.member("created", isNew)
      writer.endObject()
    }
  }

  /// `credit-store info`: where the store is, and how large.
  func inform() {
    onStore { store, output throws(CreditError) in try inform(store, output) }
  }

  private func inform(_ store: LocalStore, _ output: ResultOutput) throws(CreditError) {
    let reader = try openReader(store)
    let info = try reader.info()
    output.print { writer in
      writer.beginObject()
      writer.member("store", store.location.path)
      writer.member("version", info.version)
      writer.member("records", Int64(info.summary.recordCount))
      writer.member("accounts", Int64(info.summary.accountCount))
      writer.member("bytes", Int64(info.bytes))
      if let time = info.summary.lastTime { writer.member("lastTime", time) }
      writer.endObject()
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
    onStore { store, output throws(CreditError) in try changePolicy(store, output) }
  }

  private func changePolicy(_ store: LocalStore, _ output: ResultOutput)
    throws(CreditError)
  {
    if let file = settings.arguments[.checkPolicy] {
      _ = try store.policyDraft(file)
      output.print { $0.flag("ok") }
    } else if let file = settings.arguments[.setPolicy] {
      try store.setPolicy(try store.policyDraft(file))
      output.print { $0.flag("set") }
    } else {
      let text = try store.policyText()
      output.print { writer in
        let document = try? JSONDocument(text)
        document?.withRoot { JSONCompact.write($0, into: &writer) }
      }
    }
  }

  /// `credit-store rebuild`: makes the index anew.
  func rebuild() {
    onStore { store, output throws(CreditError) in
      try store.rebuild()
      output.print { $0.flag("rebuilt") }
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
