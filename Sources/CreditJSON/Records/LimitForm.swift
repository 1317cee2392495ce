internal import CreditModel

// What an account may spend and for whom, as records say it: its plan where that has limits alone,
// its parent, what holds set aside above it, its counters and the limits of its own.
extension JSONWriter {
  mutating func limitState(_ account: Account) {
    if let plan = account.planWithoutQuota { member("plan", plan) }
    if let parent = account.parent { member("parent", parent) }
    if account.hasChildren { member("children", true) }
    if !account.passedHolds.isEmpty {
      key("passed")
      holdList(account.passedHolds)
    }
    counters(account.limitCounters)
    settings(account.limitsSet)
  }

  /// `[{"id":"day","since":"2026-11-24T00:00:00.000Z","used":260}]`: a period that the id names,
  /// and a counter of 0, are not said.
  private mutating func counters(_ counters: [LimitCounter]) {
    if counters.isEmpty { return }
    key("limits")
    beginArray()
    for counter in counters {
      beginObject()
      member("id", counter.id)
      if !counter.period.isSaid(by: counter.id.text) {
        key("period")
        period(counter.period)
      }
      if let models = counter.models { member("models", models.map(\.text)) }
      member("since", counter.since)
      if counter.after != 0 { member("after", counter.after) }
      if counter.used != 0 { member("used", counter.used) }
      endObject()
    }
    endArray()
  }

  /// `[{"id":"day","credits":1000,"until":"2026-11-25T00:00:00.000Z"},{"id":"week"}]`: one without
  /// credits lifts the limit.
  private mutating func settings(_ settings: [LimitSetting]) {
    if settings.isEmpty { return }
    key("limitsSet")
    beginArray()
    for setting in settings {
      beginObject()
      member("id", setting.id)
      if let credits = setting.credits { member("credits", credits) }
      if let until = setting.until { member("until", until) }
      endObject()
    }
    endArray()
  }
}

extension RecordReader {
  mutating func limitState(of account: inout Account, _ cursor: inout RecordCursor) {
    if cursor.skip(",\"plan\":") { account.planWithoutQuota = textName(&cursor) }
    if cursor.skip(",\"parent\":") {
      // One that was removed from the books has no name.
      account.parent = cursor.skip("\"\"") ? .nobody : self.account(&cursor)
    }
    if cursor.skip(",\"children\":true") { account.hasChildren = true }
    if cursor.skip(",\"passed\":[") { account.passedHolds = holds(&cursor) }
    if cursor.skip(",\"limits\":[") { account.limitCounters = counters(&cursor) }
    if cursor.skip(",\"limitsSet\":[") { account.limitsSet = settings(&cursor) }
  }

  private mutating func counters(_ cursor: inout RecordCursor) -> [LimitCounter] {
    var counters: [LimitCounter] = []
    repeat {
      cursor.expect("{\"id\":")
      let id = textName(&cursor)
      let usual = LimitPeriod(word: id.text)
      var period = usual
      if cursor.skip(",\"period\":") {
        period = limitPeriod(&cursor)
        cursor.require(period != usual)
      }
      let models = cursor.skip(",\"models\":[") ? names(&cursor) : nil
      cursor.expect(",\"since\":")
      let since = time(&cursor)
      let after = cursor.skip(",\"after\":") ? notZero(&cursor) : 0
      var used: Credits = 0
      if cursor.skip(",\"used\":") {
        used = cursor.integer()
        cursor.require(used != 0)
      }
      cursor.expect("}")
      guard let period else {
        cursor.fail()
        return []
      }
      counters.append(
        LimitCounter(
          id: id, period: period, models: models, since: since, after: after, used: used))
    } while cursor.skip(",")
    cursor.expect("]")
    return counters
  }

  private mutating func settings(_ cursor: inout RecordCursor) -> [LimitSetting] {
    var settings: [LimitSetting] = []
    repeat {
      cursor.expect("{\"id\":")
      let id = textName(&cursor)
      let credits = cursor.skip(",\"credits\":") ? cursor.integer() : nil
      let until = cursor.skip(",\"until\":") ? time(&cursor) : nil
      cursor.expect("}")
      settings.append(LimitSetting(id: id, credits: credits, until: until))
    } while cursor.skip(",")
    cursor.expect("]")
    return settings
  }

  private mutating func names(_ cursor: inout RecordCursor) -> [Name] {
    var names: [Name] = []
    repeat { names.append(textName(&cursor)) } while cursor.skip(",")
    cursor.expect("]")
    return names
  }

  private func limitPeriod(_ cursor: inout RecordCursor) -> LimitPeriod? {
    if let period = LimitPeriod.words.first(where: { word in
      word.word.map { cursor.skipText($0) } ?? false
    }) {
      return period
    }
    cursor.expect("{\"days\":")
    let days = cursor.integer()
    cursor.require(LimitPeriod.dayLimits.contains(days))
    cursor.expect("}")
    return .days(days)
  }

  /// The shares of limits that ``JSONWriter/limitsCrossed(_:)`` writes, after the opening bracket.
  mutating func limitsCrossed(_ cursor: inout RecordCursor) -> [LimitCrossing] {
    var crossings: [LimitCrossing] = []
    repeat {
      cursor.expect("{\"account\":")
      let account = account(&cursor)
      cursor.expect(",\"limit\":")
      let limit = textName(&cursor)
      cursor.expect(",\"percent\":")
      let percent = cursor.integer()
      cursor.expect(",\"used\":")
      let used = cursor.integer()
      cursor.expect(",\"credits\":")
      let credits = cursor.integer()
      let resetsAt = cursor.skip(",\"resetsAt\":") ? time(&cursor) : nil
      cursor.expect("}")
      crossings.append(
        LimitCrossing(
          account: account, limit: limit, percent: percent, used: used, credits: credits,
          resetsAt: resetsAt))
    } while cursor.skip(",")
    cursor.expect("]")
    return crossings
  }
}
