internal import CreditModel

// The state of an account after a record.
extension MemberVisitor where Self: ~Copyable {
  /// Visits the state. Plain credits are members by their kinds. Those with terms are a list, in
  /// the order of use: `dated`, or `grants` if it has a grant. The balance is their sum, with the
  /// rest of the quota.
  /// - Parameter known: the account to write; for a reader, its known part.
  @discardableResult
  mutating func state(_ known: Account) -> Account? {
    object("state", Account?.none, shape: "state") { visitor, _ in
      let records = visitor.member("records", known.recordCount, Whole.self)
      let transactions = visitor.member("transactions", known.transactionCount, Whole.self)
      let registeredAt = visitor.member("registeredAt", known.registeredAt, Time.self)
      let isExempt = visitor.flag("exempt", known.isExempt)
      let isClosed = visitor.flag("closed", known.isClosed)
      let buckets = visitor.buckets(known.buckets)
      var account = Self.reads ? known : nil
      visitor.rare(if: known.hasRareState, before: nil) {
        $0.rareState(known.rareState, of: known, into: &account)
      }
      guard let records, let transactions, let registeredAt, let buckets else { return nil }
      account?.recordCount = records
      account?.transactionCount = transactions
      account?.registeredAt = registeredAt
      account?.isExempt = isExempt
      account?.isClosed = isClosed
      account?.buckets = buckets
      return account
    }
  }

  private mutating func buckets(_ known: Buckets) -> Buckets? {
    let listed = known.listed
    let hasGrants = listed.map { $0.terms.grantCount > 0 } ?? false
    let dated = optional("dated", hasGrants ? nil : listed, TermBuckets.self)
    let grants = optional("grants", hasGrants ? listed : nil, TermBuckets.self)
    let bonus = member("bonus", known.undated.bonus, Whole.self, unless: 0)
    let starter = member("starter", known.undated.starter, Whole.self, unless: 0)
    let purchased = member("purchased", known.undated.purchased, Whole.self, unless: 0)
    if !Self.reads { return nil }
    require(dated.map { $0.terms.grantCount == 0 && grants == nil } ?? true)
    require(grants.map { $0.terms.grantCount > 0 } ?? true)
    var undated = UndatedCredits()
    undated.bonus = bonus
    undated.starter = starter
    undated.purchased = purchased
    return Buckets(undated, listed: grants ?? dated)
  }

  private mutating func rareState(
    _ state: RareState?, of known: Account, into account: inout Account?
  ) -> Void? {
    rare(if: state?.hasDatedState == true, before: "plan") { $0.datedState(known, into: &account) }
    let plan = optional("plan", state?.rest.planWithoutQuota, PolicyName.self)
    let parent = optional("parent", state?.rest.parent, ParentName.self)
    let hasChildren = flag("children", state?.rest.hasChildren)
    let passedHolds = optional("passed", state?.rest.passedHolds.nonEmpty, Holds.self)
    let counters = list("limits", state?.rest.limitCounters) { $0.limitCounter($1) }
    let settings = list("limitsSet", state?.rest.limitsSet) { $0.limitSetting($1) }
    rare(if: state?.hasNotes == true, before: nil) { $0.notes(known, into: &account) }
    if !Self.reads { return nil }
    if let plan { account?.planWithoutQuota = plan }
    if let parent { account?.parent = parent }
    if hasChildren { account?.hasChildren = true }
    if let passedHolds { account?.passedHolds = passedHolds }
    if !counters.isEmpty { account?.limitCounters = counters }
    if !settings.isEmpty { account?.limitsSet = settings }
    return nil
  }

  private mutating func datedState(_ known: Account, into account: inout Account?) -> Void? {
    let scheduled = scheduledGrants(known.scheduled)
    var rollover: Rollover?
    let quota = object("quota", known.quota, isOptional: true) { visitor, quota in
      var quota = visitor.quota(quota)
      let isRare = known.rollover != nil || known.quota?.isByWallClock == true
      visitor.rare(if: isRare, before: nil) { visitor in
        let isByWallClock = visitor.flag("wallClock", known.quota?.isByWallClock)
        rollover = visitor.rare(if: known.rollover != nil, before: nil) {
          $0.rollover(known.rollover)
        }
        quota?.isByWallClock = isByWallClock
        return Void?.none
      }
      return quota
    }
    let subscriptions = object(
      "subscriptions", known.subscriptions.isEmpty ? nil : known.subscriptions, isOptional: true
    ) { $0.subscriptions($1) }
    let holds = optional("holds", known.holds.nonEmpty, Holds.self)
    let topUps = optional("recentTopUps", known.recentTopUps.nonEmpty, RecentTopUps.self)
    if !Self.reads { return nil }
    if let scheduled { account?.scheduled = scheduled }
    if let quota { account?.quota = quota }
    if let rollover { account?.rollover = rollover }
    if let subscriptions { account?.subscriptions = subscriptions }
    if let holds { account?.holds = holds }
    if let topUps { account?.recentTopUps = topUps }
    return nil
  }

  private mutating func notes(_ known: Account, into account: inout Account?) -> Void? {
    let group = optional("group", known.group, PolicyName.self)
    let hasBought = flag("bought", known.hasBought)
    let settled = list("settled", known.settledDebts) { $0.settledDebt($1) }
    if !Self.reads { return nil }
    if let group { account?.group = group }
    if hasBought { account?.hasBought = true }
    if !settled.isEmpty { account?.settledDebts = settled }
    return nil
  }

  /// Visits grants that have not started: their buckets, then when each starts.
  private mutating func scheduledGrants(_ known: [ScheduledGrant]?) -> [ScheduledGrant]? {
    let grants = known?.nonEmpty
    let buckets = optional("scheduled", grants?.map(\.bucket), BucketList.self)
    let starts = member("startsAt", grants?.map(\.startsAt), List<Time>.self, if: buckets != nil)
    guard let buckets, let starts else { return nil }
    require(!buckets.isEmpty && buckets.count == starts.count)
    return zip(buckets, starts).map { ScheduledGrant($0, startsAt: $1) }
  }

  /// `{"kind":"bonus","credits":30,"expiresAt":"…","left":30,"debt":50,"at":"…"}`
  @inline(__always)
  private mutating func settledDebt(_ known: SettledDebt?) -> SettledDebt? {
    let kind = member("kind", known?.bucket.kind, Word<Bucket.Kind>.self)
    let credits = member("credits", known?.bucket.credits, Whole.self)
    let expiresAt = optional("expiresAt", known?.bucket.expiresAt, Time.self)
    let left = member("left", known?.left, Whole.self)
    let debt = member("debt", known?.debt, Whole.self)
    let at = member("at", known?.at, Time.self)
    let from = member("from", known?.from, Whole.self, unless: 0)
    guard let kind, let credits, let left, let debt, let at else { return nil }
    let bucket = Bucket(kind: kind, credits: credits, expiresAt: expiresAt)
    return SettledDebt(bucket: bucket, left: left, debt: debt, at: at, from: from)
  }

  @inline(__always)
  private mutating func quota(_ known: Quota?) -> Quota? {
    let plan = member("plan", known?.plan, PolicyName.self)
    let period = member("period", known?.period, QuotaPeriodForm.self)
    let limit = member("limit", known?.limit, Whole.self)
    let used = member("used", known?.used, Whole.self)
    let resetsAt = member("resetsAt", known?.resetsAt, Time.self)
    guard let plan, let period, let limit, let used, let resetsAt else { return nil }
    return Quota(plan: plan, period: period, limit: limit, used: used, resetsAt: resetsAt)
  }

  /// `"rolloverFor":3,"carried":[20,10]`: the rest of the last period, and of the one before it.
  private mutating func rollover(_ known: Rollover?) -> Rollover? {
    let periods = optional("rolloverFor", known?.periods, Whole.self)
    let parts = optional("carried", known?.parts.nonEmpty, List<Whole>.self)
    if !Self.reads { return nil }
    require(periods.map(Rollover.limits.contains) ?? false)
    return Rollover(periods: periods ?? 1, parts: parts ?? [])
  }

  /// `{"id":"day","since":"2026-11-24T00:00:00.000Z","used":260}`: a period that the id names is
  /// left out, and so is the unit of credits. Dollars are text. A wall clock adds `resetsAt`.
  @inline(__always)
  private mutating func limitCounter(_ known: LimitCounter?) -> LimitCounter? {
    let limit = known?.limit
    let id = member("id", limit?.id, PolicyName.self)
    let explicit = limit.flatMap { $0.impliesPeriod ? nil : $0.period }
    let said = optional("period", explicit, LimitPeriodForm.self)
    let models = optional("models", known?.models ?? nil, List<PolicyName>.self)
    let unit = limitUnit(known?.unit)
    let since = member("since", known?.since, Time.self)
    let after = member("after", known?.after, Whole.self, unless: 0)
    let counted = known.flatMap { $0.used == 0 ? nil : LimitAmount($0.used, $0.unit) }
    let used = optional("used", counted, LimitAmountForm.self)
    let resetsAt = rare(if: known?.resetsAt != nil, before: nil) {
      $0.optional("resetsAt", known?.resetsAt ?? nil, Time.self)
    }
    guard let id, let since else { return nil }
    require(used.map { $0.isDollars == (unit == .usd) && $0.amount != 0 } ?? true)
    let usual = LimitPeriod(word: id.text)
    require(said == nil || said != usual)
    guard let period = said ?? usual else { return nil }
    return LimitCounter(
      id: id, period: period, models: models, unit: unit, since: since, after: after,
      used: used?.amount ?? 0, resetsAt: resetsAt)
  }

  /// `{"id":"day","credits":1000,"until":"…","then":{"credits":500}}`: `then` applies again at its
  /// end.
  @inline(__always)
  private mutating func limitSetting(_ known: LimitSetting?) -> LimitSetting? {
    let id = member("id", known?.id, PolicyName.self)
    let number = limitNumber(known, of: id)
    let until = optional("until", known?.until, Time.self)
    let then = object("then", known?.then, isOptional: true) { $0.limitNumber($1, of: id) }
    guard let number, let until else {
      require(then == nil)
      return number
    }
    return LimitSetting(number, until: until, then: then)
  }

  fileprivate mutating func recentTopUp(_ known: RecentTopUp?) -> RecentTopUp? {
    let at = member("at", known?.time, Time.self)
    let credits = member("credits", known?.credits, Whole.self)
    guard let at, let credits else { return nil }
    return RecentTopUp(at, credits: credits)
  }
}

/// When an account was topped up lately: times, each with its credits if the policy limits those.
private enum RecentTopUps: MemberForm {
  static func write(_ value: borrowing [RecentTopUp], to writer: inout JSONWriter) {
    writer.beginArray()
    for topUp in copy value {
      if topUp.credits == nil {
        writer.timestamp(topUp.time)
      } else {
        writer.beginObject()
        _ = writer.recentTopUp(topUp)
        writer.endObject()
      }
    }
    writer.endArray()
  }

  static func read(_ reader: inout RecordReader) -> [RecentTopUp]? {
    reader.cursor.expect("[")
    return reader.elements { reader in
      guard reader.cursor.skip("{") else { return RecentTopUp(reader.time()) }
      let topUp = reader.recentTopUp(nil)
      reader.cursor.expect("}")
      return topUp ?? RecentTopUp(.earliest)
    }
  }

  static var shape: JSONShape {
    .list(.anyOf([.value(.time), ShapeRecorder.shape { _ = $0.recentTopUp(nil) }]))
  }
}

/// A quota's period: a word, a number of days, or when an anniversary began.
private enum QuotaPeriodForm: MemberForm {
  static func write(_ value: borrowing QuotaPeriod, to writer: inout JSONWriter) {
    switch copy value {
    case .day: writer.string("day")
    case .month: writer.string("month")
    case .subscription: writer.string("subscription")
    case .days(let count): writer.days(count)
    case .anniversary(let start):
      writer.beginObject()
      writer.key("anniversary")
      writer.timestamp(start ?? .earliest)
      writer.endObject()
    }
  }

  static func read(_ reader: inout RecordReader) -> QuotaPeriod? {
    if reader.cursor.skip("\"month\"") { return .month }
    if reader.cursor.skip("\"day\"") { return .day }
    if reader.cursor.skip("\"subscription\"") { return .subscription }
    if reader.cursor.skip("{\"anniversary\":") {
      let start = reader.time()
      reader.cursor.expect("}")
      return .anniversary(of: start)
    }
    return reader.days(in: QuotaPeriod.dayLimits).map { .days($0) }
  }

  static var shape: JSONShape {
    .anyOf([
      .value(.words(["day", "month", "subscription"])), .object(PolicyShape.periodOfDays),
      .object([JSONMember("anniversary", .value(.time))]),
    ])
  }
}

/// A limit's period: a word, or a number of days. Results have it, too.
enum LimitPeriodForm: MemberForm {
  static func write(_ value: borrowing LimitPeriod, to writer: inout JSONWriter) {
    let period = copy value
    if let word = period.word { return writer.plain(word) }
    if case .days(let count) = period { writer.days(count) }
  }

  static func read(_ reader: inout RecordReader) -> LimitPeriod? {
    for period in LimitPeriod.words {
      if let word = period.word, reader.cursor.skipText(word) { return period }
    }
    return reader.days(in: LimitPeriod.dayLimits).map { .days($0) }
  }

  static var shape: JSONShape { PolicyShape.limitPeriod }
}

extension JSONWriter {
  fileprivate mutating func days(_ count: Int64) {
    beginObject()
    key("days")
    integer(count)
    endObject()
  }
}

extension RecordReader {
  fileprivate mutating func days(in range: ClosedRange<Int64>) -> Int64? {
    cursor.expect("{\"days\":")
    let days = cursor.integer()
    cursor.expect("}")
    return range.contains(days) ? days : nil
  }
}
