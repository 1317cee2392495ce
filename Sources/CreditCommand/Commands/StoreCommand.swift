internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// `credit-store`: makes, checks and keeps a store.
  func runStore() throws(UsageError) {
    let action = settings.arguments.subcommand?.name
    switch action {
    case "export": try refuse(["pass", "get", "pretty"], in: "export, whose lines have one form")
    case "import": try refuseTerminal()
    default: break
    }
    printLines { printer throws(CreditError) in
      let store = try openStore()
      switch action {
      case "init": try initialize(store, &printer)
      case "info": try inform(store, &printer)
      case "policy": try changePolicy(store, &printer)
      case "verify": try verify(store, &printer)
      case "rebuild": try rebuild(store, &printer)
      case "export": try export(store)
      case "import": try importStore(store, &printer)
      default: throw CreditError(.invalidRequest, "no such subcommand")
      }
    }
  }

  private func initialize(_ store: LocalStore, _ printer: inout ResultPrinter) throws(CreditError) {
    let file = settings.arguments.text("policy")
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

  private func changePolicy(_ store: LocalStore, _ printer: inout ResultPrinter)
    throws(CreditError)
  {
    if let file = settings.arguments.text("check") {
      _ = try store.policyDraft(file)
      printer.print { $0.flag("ok") }
    } else if let file = settings.arguments.text("set") {
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

  private func rebuild(_ store: LocalStore, _ printer: inout ResultPrinter) throws(CreditError) {
    try store.rebuild()
    printer.print { $0.flag("rebuilt") }
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
