internal import CreditFinance
internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// `credit-price --models` and `--products`: the entries of the policy's own lists and then of
  /// the catalog that it names, or of the catalog that the command line names; each as its text has
  /// it.
  func listCatalog() {
    let columns = settings.arguments[.products] ? Self.productColumns : Self.modelColumns
    printLines(as: .table(columns)) { output throws(CreditError) in
      let selection = try ModelSelection(self)
      var listed: Set<Name> = []
      var isFound = false
      try forEachCatalog { catalog, buyer in
        if settings.arguments[.products] {
          buyer.listProducts(catalog, &listed) { product in
            let quota = ProductPage.quota(of: catalog.plan(of: product))
            output.print {
              $0.listedProduct(product, isForPeople: settings.areForPeople, quota: quota)
            }
            return output.flushIfFull()
          }
        } else if listModels(catalog, selection, &listed, to: output) {
          isFound = true
        }
      }
      let rules = isFound && settings.areForPeople ? try? openStore().policy().priceRules : nil
      if let rules, rules.markup != .one {
        errors.remark("these prices are before the policy's markup of \(rules.markup.fullText)")
      }
      if !isFound, let text = settings.arguments[.modelText] {
        errors.remark("no model has \(quoted(text)) in its id or an alias")
      }
    }
  }

  private static var modelColumns: [TableColumn] {
    [
      TableColumn("ID", "id", as: .id, rank: 0, leastWidth: 16),
      TableColumn("INPUT", "input", as: .number, rank: 1),
      TableColumn("OUTPUT", "output", as: .number, rank: 1),
      TableColumn("CACHE READ", "cacheRead", as: .number, rank: 3),
      TableColumn("CACHE WRITE", "cacheWrite", as: .number, rank: 4),
      // The shortest text with the currency or credits, and the unit.
      TableColumn("PRICE", "price", rank: 2, leastWidth: 17),
    ]
  }

  private static var productColumns: [TableColumn] {
    [
      TableColumn("#", "displayOrder", as: .number, rank: 6),
      TableColumn("ID", "id", as: .id, rank: 2, leastWidth: 12),
      TableColumn("NAME", "name", rank: 3, leastWidth: 13),
      TableColumn("CREDITS", "credits", as: .number, rank: 0),
      TableColumn("QUOTA", "quota", rank: 1, leastWidth: 12),
      TableColumn("PRICE", "price", as: .number, rank: 1),
      TableColumn("PER CREDIT", "pricePerCredit", as: .number, rank: 5),
      TableColumn("DESCRIPTION", "description", rank: 4, leastWidth: 16),
      TableColumn("GROUPS", "groups", rank: 7),
      TableColumn("CREATED", "createdAt", as: .time, rank: 8),
    ]
  }

  /// Visits the lists of a policy and the catalog that it names, or that of the command line.
  private func forEachCatalog(_ body: (JSONValue, Buyer) -> Void) throws(CreditError) {
    let buyer = try Buyer(self)
    let texts: [[UInt8]]
    if let path = settings.arguments[.catalog] {
      let text = try InputFile.read(path, host.system)
      try CatalogFile.check(text, of: path)
      texts = [text]
    } else {
      texts = try openStore().priceTexts()
    }
    if settings.arguments.has(.buyerGroup), let group = buyer.group {
      noteUnknown(group, in: texts)
    }
    do throws(JSONError) {
      for text in texts { try JSONDocument(text).withRoot { body($0, buyer) } }
    } catch {
      throw CreditError(malformed: error)
    }
  }

  /// - Parameter listed: the names found in earlier lists, which are skipped.
  /// - Returns: true if it has listed any.
  private func listModels(
    _ catalog: JSONValue, _ selection: ModelSelection, _ listed: inout Set<Name>,
    to output: ResultOutput
  ) -> Bool {
    let hidden = listed
    var isFound = false
    for model in catalog.elements("models") { listed.formUnion(model.modelNames) }
    for model in catalog.catalogModels(inForceAt: selection.time) {
      guard let id = model.name("id"), !hidden.contains(id),
        !(id.datedAlias.map(hidden.contains) ?? false), selection.includes(model)
      else { continue }
      isFound = true
      output.print { settings.areForPeople ? $0.modelRow(model) : $0.listedModel(model) }
      guard output.flushIfFull() else { break }
    }
    return isFound
  }

  /// Notes a group that no product has, if products have groups.
  func noteUnknown(_ group: Name, in catalogs: [[UInt8]]) {
    var known: Set<Name> = []
    for text in catalogs {
      try? JSONDocument(text).withRoot { catalog in
        for product in catalog.elements("products") {
          known.formUnion(product.groups.map(Name.init(trusted:)))
        }
      }
    }
    if known.isEmpty || known.contains(group) { return }
    errors.remark(
      "no product has the group \(quoted(group.text))"
        + NearestNames.hint(NearestNames.find(group, among: known.sorted())))
  }

  func printProductPage() {
    var page = ProductPage(
      version: ToolSuite.version, title: settings.arguments[.listTitle], now: now)
    do throws(CreditError) {
      var listed: Set<Name> = []
      try forEachCatalog { catalog, buyer in
        buyer.listProducts(catalog, &listed) { product in
          page.add(product, plan: catalog.plan(of: product), showsGroups: !buyer.isOne)
          return true
        }
      }
    } catch {
      return errors.report(error)
    }
    printBytes(page.html)
  }

  /// `credit-price --import`: makes a catalog from another program's price file, and lists on
  /// standard error what it leaves out.
  func importCatalog(_ path: String) throws(UsageError) {
    let credits = try productCredits()
    printLines(as: .document) { output throws(CreditError) in
      let text = try InputFile.read(path, host.system)
      let document: JSONDocument
      do throws(JSONError) {
        document = try JSONDocument(text)
      } catch {
        let formats = error.offset == 0 ? "; --import reads \(CatalogImport.formats)" : ""
        let advice = text.withBytes {
          error.advice(before: Bytes(rebasing: $0[error.offset...]), isConverted: false)
        }
        throw CreditError(malformed: error, advice: formats + advice).inFile(path)
      }
      var catalog = try document.withRoot { file throws(CreditError) in
        try CatalogImport(file, productCredits: credits)
      }
      if let own = settings.arguments[.catalog] {
        let text = try InputFile.read(own, host.system)
        try CatalogFile.check(text, of: own) { catalog.add(to: $0) }
      }
      output.print { $0.catalog(catalog) }
      for remark in catalog.remarks { errors.remark(remark) }
    }
  }

  /// The values of `--product-credits`: `ID=N`.
  private func productCredits() throws(UsageError) -> [Name: Credits] {
    var credits: [Name: Credits] = [:]
    for value in settings.arguments[.productCredits] {
      let bytes = value.utf8
      guard let equals = bytes.lastIndex(of: UInt8(ascii: "=")),
        let count = Int64(value[bytes.index(after: equals)...]),
        (1...Credits.largestGrant).contains(count), let id = Name(valid: String(value[..<equals]))
      else {
        throw UsageError(
          "--product-credits takes ID=N, a product and its credits, not \(quoted(value))")
      }
      guard credits.updateValue(count, forKey: id) == nil else {
        throw UsageError("--product-credits names \(quoted(id.text)) twice")
      }
    }
    return credits
  }
}

private struct ModelSelection {
  /// The time at which their prices are in force.
  let time: Timestamp
  private let id: Name?
  private let text: String?

  /// - Throws: `unknown_model` if it names a model that does not exist, or has no price yet; errors
  ///   of reading the policy or the catalog.
  init(_ command: Command) throws(CreditError) {
    let arguments = command.settings.arguments
    time = arguments[.priceTime] ?? command.now
    text = arguments[.modelText]?.lowercased()
    guard let name = arguments[.model] else {
      id = nil
      return
    }
    let policy: Policy
    if let path = arguments[.catalog] {
      policy = Policy(prices: try CatalogFile.load(path, system: command.host.system))
    } else {
      policy = try command.openStore().policy()
    }
    id = try policy.ownID(of: Name(trusted: name), at: time)
  }

  func includes(_ model: JSONValue) -> Bool {
    if let id, model.name("id") != id { return false }
    guard let text else { return true }
    return model.modelNames.contains { $0.text.lowercased().utf8.contains(text) }
  }
}

extension Policy {
  /// Returns a model's own id.
  /// - Throws: `unknown_model` with the nearest ids.
  func ownID(of model: Name, at time: Timestamp) throws(CreditError) -> Name {
    do {
      return try self.model(model, at: time).id
    } catch {
      throw explained(error)
    }
  }
}

/// Whom products are listed for.
struct Buyer {
  /// Whether products of other groups are left out.
  let isOne: Bool
  let group: Name?

  /// - Throws: `invalid_request` for an account or a group with an invalid name; errors of reading
  ///   the books.
  init(_ command: Command) throws(CreditError) {
    let account = try command.settings.account()
    let text = command.settings.arguments[.buyerGroup]
    isOne = account != nil || text != nil
    if let account {
      let books = try OpenBooks(of: try command.openStore())
      let view = try books.accounts(now: command.now).account(account)
      if !view.isRegistered { try command.noteUnregistered(account, in: books) }
      group = view.account.group
    } else if let text {
      if let problem = ProductGroup.problem(with: text) {
        throw .invalidRequest("group \(problem)")
      }
      group = text == ProductGroup.none ? nil : Name(trusted: text)
    } else {
      group = nil
    }
  }

  /// Calls `body` with a catalog's products on sale until it returns false.
  /// - Parameter listed: the names found in earlier lists, which are skipped.
  func listProducts(_ catalog: JSONValue, _ listed: inout Set<Name>, _ body: (JSONValue) -> Bool) {
    let hidden = listed
    for product in catalog.elements("products") {
      if let id = product.name("id") { listed.insert(id) }
    }
    let onSale = catalog.elements("products").filter { $0.member("active")?.bool != false }
    let ordered = onSale.enumerated().sorted {
      ($0.element.int64("displayOrder") ?? 0, $0.offset)
        < ($1.element.int64("displayOrder") ?? 0, $1.offset)
    }
    for (_, product) in ordered {
      // Products without groups are shown to all accounts, others to those of their groups.
      let groups = product.groups
      let isShown = !isOne || groups.isEmpty || group.map { groups.contains($0.text) } ?? false
      guard isShown, let id = product.name("id"), !hidden.contains(id) else { continue }
      guard body(product) else { return }
    }
  }
}

extension JSONValue {
  fileprivate var groups: [String] { member("groups")?.elements.compactMap(\.string) ?? [] }

  fileprivate func plan(of product: JSONValue) -> JSONValue? {
    product.string("plan").flatMap { id in
      member("plans")?.elements.first { $0.string("id") == id }
    }
  }
}
