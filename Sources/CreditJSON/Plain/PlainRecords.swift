package import CreditModel

/// What there is to write of a plain request that was served: its record, and its answer.
package struct PlainEntry {
  package let account: UnsafeRawBufferPointer
  /// The account as it is then.
  package let state: PlainState
  package let authorization: UnsafeRawBufferPointer
  /// When it was authorized.
  package let authorizedAt: Timestamp
  /// The key of a direct charge; empty for others.
  package let key: UnsafeRawBufferPointer

  var time: Timestamp { state.updatedAt }
  /// How many bytes its texts have.
  @inline(__always)
  var textCount: Int { account.count &+ authorization.count &+ key.count }

  package init(
    account: UnsafeRawBufferPointer, _ state: PlainState, authorization: UnsafeRawBufferPointer,
    authorizedAt: Timestamp,
    key: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) {
    self.account = account
    self.state = state
    self.authorization = authorization
    self.authorizedAt = authorizedAt
    self.key = key
  }
}

/// What a plain charge is for, and what it costs.
package struct PlainWork {
  package let model: UnsafeRawBufferPointer
  package let counts: CommonCounts
  package let quote: PlainPrice.Quote
  /// Digits after the point of the quote's dollars.
  package let scale: Int

  package init(
    model: UnsafeRawBufferPointer, counts: CommonCounts, quote: PlainPrice.Quote, scale: Int
  ) {
    self.model = model
    self.counts = counts
    self.quote = quote
    self.scale = scale
  }
}

// The records of plain requests, and the answers to them: the same bytes that ``openRecord(_:
// previous:)`` and ``result(_:)`` write of them, whose texts need no escape and are stored as they
// are.
extension JSONWriter {
  /// The most bytes of a record or an answer here beside its texts: members, numbers and times.
  static var plainFrameLimit: Int { 1024 }

  /// Writes the record of a charge up to where its checksum goes.
  package mutating func plainCharge(
    _ entry: PlainEntry, _ work: PlainWork, previous: RecordPosition?
  ) {
    store(Self.plainFrameLimit + entry.textCount + work.model.count) { next, times in
      next.store(recordOf: "charge", at: entry.time, of: entry.account, &times)
      next.store("\",\"authorization\":{\"id\":\"")
      next.store(entry.authorization)
      if entry.authorizedAt != entry.time {
        next.store("\",\"timestamp\":\"")
        next.store(entry.authorizedAt, &times)
      }
      if !entry.key.isEmpty {
        next.store("\"},\"key\":\"")
        next.store(entry.key)
        next.store("\",\"model\":\"")
      } else {
        next.store("\"},\"model\":\"")
      }
      next.store(work.model)
      next.store("\",\"usage\":")
      next.store(work.counts)
      next.store(",\"usd\":\"")
      let room = UnsafeMutableRawBufferPointer(start: next, count: DecimalDigits.shortLimit)
      next += DecimalDigits.write(work.quote.cost, scale: work.scale, to: room)
      next.store("\",\"creditsCharged\":")
      next.store(work.quote.credits)
      next.store(entry.state, &times)
      next.store(previous)
    }
  }

  /// Writes the record of an authorization without a hold up to where its checksum goes.
  package mutating func plainAuthorization(_ entry: PlainEntry, previous: RecordPosition?) {
    store(Self.plainFrameLimit + entry.textCount) { next, times in
      next.store(recordOf: "authorization", at: entry.time, of: entry.account, &times)
      next.store("\",\"authorization\":{\"id\":\"")
      next.store(entry.authorization)
      next.store("\"}")
      next.store(entry.state, &times)
      next.store(previous)
    }
  }

  /// Writes the record of an account's registration up to where its checksum goes.
  package mutating func plainRegistration(of account: UnsafeRawBufferPointer, _ state: PlainState) {
    store(Self.plainFrameLimit + account.count) { next, times in
      next.store(recordOf: "registration", at: state.updatedAt, of: account, &times)
      next.store("\",\"credits\":")
      next.store(state.balance)
      next.store(state, &times)
    }
  }

  /// Writes the answer to a charge, as a line.
  package mutating func plainReceipt(_ entry: PlainEntry, _ work: PlainWork) {
    store(Self.plainFrameLimit + entry.textCount + work.model.count) { next, times in
      next.store("{\"authorization\":")
      next.store(authorization: entry, &times)
      next.store(",\"model\":\"")
      next.store(work.model)
      next.store("\",\"usage\":")
      next.store(work.counts)
      next.store(",\"creditsCharged\":")
      next.store(work.quote.credits)
      next.store(",\"newBalance\":")
      next.store(entry.state.balance)
      next.store(",\"timestamp\":\"")
      next.store(entry.time, &times)
      next.store("\"}\n")
    }
  }

  /// Writes the answer to an authorization, as a line.
  /// - Parameter request: the request that it is added to; nil where it stands alone.
  package mutating func plainAuthorized(_ entry: PlainEntry, addedTo request: PassedRequest?) {
    let label: StaticString =
      switch request?.isReplaced {
      case nil: "{\"authorization\":"
      case false?: ",\"authorization\":"
      case true?: ""
      }
    store(Self.plainFrameLimit + entry.textCount + (request?.count ?? 0)) { next, times in
      if let request { next.store(request.before) }
      next.store(label)
      next.store(authorization: entry, &times)
      if let request { next.store(request.behind) }
      next.store(",\"balance\":")
      next.store(entry.state.balance)
      next.store("}\n")
    }
  }
}

/// The text of a plain request that an authorization is added to: in the place of the id that it
/// names, or behind its members.
package struct PassedRequest {
  let before: UnsafeRawBufferPointer
  let behind: UnsafeRawBufferPointer
  /// Whether the authorization stands in the place of an id.
  let isReplaced: Bool

  package init(_ request: PlainRequest, in text: UnsafeRawBufferPointer) {
    let whole = text[request.whole]
    isReplaced = request.reference.count > 0
    // With the quotes around the id, and without the last brace.
    let start =
      isReplaced ? Int(request.reference.start - request.whole.start) - 1 : whole.count - 1
    let end = isReplaced ? start + Int(request.reference.count) + 2 : whole.count - 1
    before = UnsafeRawBufferPointer(rebasing: whole[..<start])
    behind = UnsafeRawBufferPointer(rebasing: whole[end..<(whole.count - 1)])
  }

  var count: Int { before.count + behind.count }
}
