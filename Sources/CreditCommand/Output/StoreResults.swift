internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// A check of `credit-doctor` and its outcome.
struct Diagnosis {
  enum State: String {
    case ok, warning, error
  }

  var check = ""
  let state: State
  let message: String
  var code: CreditError.Code?
  // Facts for programs. Each check has its own.
  var holder: CreditError.Holder?
  var size: (path: String, info: StoreInfo)?
  var tornTails: [TornTail] = []
  var exposedFiles: [String]?
  var space: DiskSpace?
  var additions: [String]?
  var behindSeconds: Int64?
  var warnings: [String]?
  var secrets: String?
  var lowest: LowestBalances?
  /// The days of a list's prices, and how many days ago the newest was.
  var prices: (dates: PriceDates, days: Int64?)?

  static func ok(_ message: String) -> Diagnosis { Diagnosis(state: .ok, message: message) }

  static func warning(_ message: String) -> Diagnosis {
    Diagnosis(state: .warning, message: message)
  }

  func with(_ addFacts: (inout Diagnosis) -> Void) -> Diagnosis {
    var finding = self
    addFacts(&finding)
    return finding
  }
}

struct LowestBalances {
  let limit: Int
  let below: Credits
  private(set) var belowCount = 0
  /// In ascending order, accounts with the same balance in the order in which they came.
  private(set) var all: [(name: Name, balance: Credits)] = []

  mutating func add(_ name: Name, _ balance: Credits) {
    if balance < below { belowCount += 1 }
    if all.count == limit, let last = all.last, balance >= last.balance { return }
    let place = all.firstIndex { balance < $0.balance } ?? all.count
    all.insert((name, balance), at: place)
    if all.count > limit { all.removeLast() }
  }
}

// Answers of the tools that look after a store.
extension ResultVisitor where Self: ~Copyable {
  mutating func done(_ name: StaticString) { member(name, true, Truth.self) }

  mutating func created(_ isNew: Bool, at path: String) {
    member("store", path, Text.self)
    member("created", isNew, Truth.self)
  }

  mutating func storeInfo(_ known: StoreInfo?, at path: String) {
    size(known, at: path, isRequired: true)
    optional("lost", known?.lost, Count.self)
    torn(known?.tornTails)
  }

  private mutating func size(_ known: StoreInfo?, at path: String?, isRequired: Bool) {
    member("store", path, Text.self, isRequired: isRequired)
    member("version", known?.version, Whole.self, isRequired: isRequired)
    member("records", known?.summary.recordCount, Count.self, isRequired: isRequired)
    member("accounts", known?.summary.accountCount, Count.self, isRequired: isRequired)
    member("bytes", known?.bytes, Count.self, isRequired: isRequired)
    optional("lastTime", known?.summary.lastTime, Time.self)
  }

  /// Visits appends that did not finish: without a file if still in the journal.
  private mutating func torn(_ known: [TornTail]?) {
    parts("torn", known?.isEmpty == true ? nil : known) { visitor, known in
      visitor.optional("file", known?.file, Text.self)
      visitor.member("records", known?.records, Count.self)
      visitor.member("bytes", known?.bytes, Count.self)
    }
  }

  mutating func verified(_ known: StoreSummary?) {
    done("ok")
    member("records", known?.records, Count.self)
    member("accounts", known?.accounts, Count.self)
    member("credits", known?.credits, Sum.self)
    member("bytes", known?.bytes, Count.self)
    optional("index", known?.isIndexBehind == true ? "behind" : nil, Text.self)
    torn(known?.tornTails)
  }

  mutating func rebuilt(_ known: DroppedRecords?) {
    done("rebuilt")
    part("dropped", known, isRequired: false) { visitor, known in
      visitor.optional("file", known?.file, Text.self)
      visitor.member("bytes", known?.bytes, Count.self)
      visitor.member("places", known?.places, Count.self)
      visitor.member("lost", known?.lost, Count.self)
      visitor.member("accounts", known?.accounts, List<AccountName>.self)
    }
  }

  mutating func moved(_ known: StoreSummary?, to path: String) {
    member("store", path, Text.self)
    member("records", known?.records, Count.self)
    member("accounts", known?.accounts, Count.self)
  }

  mutating func examined(_ known: Diagnosis?) {
    member("check", known?.check, Text.self)
    member("state", known?.state, WordText<Diagnosis.State>.self)
    member("message", known?.message, Text.self)
    optional("code", known?.code, WordText<CreditError.Code>.self)
    holder(known?.holder)
    size(known?.size?.info, at: known?.size?.path, isRequired: false)
    torn(known?.tornTails)
    optional("exposed", known?.exposedFiles, List<Text>.self)
    optional("freeBytes", known?.space?.free, Whole.self)
    optional("totalBytes", known?.space?.total, Whole.self)
    optional("additions", known?.additions, List<Text>.self)
    optional("behindSeconds", known?.behindSeconds, Whole.self)
    optional("warnings", known?.warnings, List<Text>.self)
    optional("secrets", known?.secrets, Text.self)
    optional("below", known?.lowest?.belowCount, Count.self)
    parts("lowest", known?.lowest?.all) { visitor, known in
      visitor.member("account", known?.name, AccountName.self)
      visitor.member("balance", known?.balance, Whole.self)
    }
    optional("models", known?.prices.map { $0.dates.modelCount }, Count.self)
    optional("undated", known?.prices.map { $0.dates.undatedCount }, Count.self)
    optional("oldest", known?.prices?.dates.oldest?.dayText, Text.self)
    optional("newest", known?.prices?.dates.newest?.dayText, Text.self)
    optional("days", known?.prices?.days, Whole.self)
  }
}

extension JSONShape {
  static var created: JSONShape { ShapeRecorder.shape { $0.created(true, at: "") } }
  static var storeInfo: JSONShape { ShapeRecorder.shape { $0.storeInfo(nil, at: "") } }
  static var policyChecked: JSONShape { ShapeRecorder.shape { $0.done("ok") } }
  static var policySet: JSONShape { ShapeRecorder.shape { $0.done("set") } }
  static var verified: JSONShape { ShapeRecorder.shape { $0.verified(nil) } }
  static var rebuilt: JSONShape { ShapeRecorder.shape { $0.rebuilt(nil) } }
  static var moved: JSONShape { ShapeRecorder.shape { $0.moved(nil, to: "") } }
  static var examined: JSONShape { ShapeRecorder.shape { $0.examined(nil) } }
}
