internal import CreditJSON
internal import CreditModel

/// Serves plain requests by their bytes: from the request's text to the record's and the answer's,
/// without a value of any of them between.
///
/// A long input is nearly all charges of known accounts at known prices, and what such a charge
/// needs is little. The common way makes for each a request, names, a receipt and a record, which
/// are handed on and freed: five times the work. The rules are not here: what is done to an account
/// is ``Account/chargePlainly(_:at:)``, what a charge costs is ``PlainPrice``, both of the model.
/// Whatever is not as usual (a repeat, a debt, a quota, a threshold crossed, an unknown name) is
/// left to the ledger, request by request, in the order of the input; it also says what is wrong.
/// Both ways write the same bytes.
///
/// It lives for one batch, under the exclusive lock.
final class PlainLane {
  let books: LocalBooks
  let batch: PendingBatch
  let changes: PendingIndex
  let policy: Policy
  // What is asked of each request, without a look into the policy.
  private let hasThresholds: Bool
  let limitsTopUps: Bool
  let ledger: Ledger
  private let systemTime: Timestamp
  let makeID: (Timestamp) -> Name
  var prices: PlainPrices
  /// What is bought by the products that top-ups name; nil where that is unknown.
  var purchases = FewNamed<PlainPurchase?>()
  /// The answers of the run in hand, and how many they are.
  var output = JSONWriter(capacity: 1 << 17)
  private var lineCount = 0
  let hasher: KeyHasher
  /// Where keys were looked for as of the beginning of the run in hand.
  private(set) var places: KeyPlaces
  /// The hashes of what this group of requests and the next will look up: that of a request stands
  /// in the place of the remainder of its number by ``hashCount``.
  private let hashes = UnsafeMutablePointer<UInt64>.allocate(capacity: hashCount)
  private static let hashCount = 2 * KeyPlaces.groupCount

  init(
    _ books: LocalBooks, _ batch: PendingBatch, by ledger: Ledger,
    makeID: @escaping (Timestamp) -> Name
  ) {
    self.books = books
    self.batch = batch
    changes = batch.changes
    hasher = changes.hasher
    places = changes.places
    self.ledger = ledger
    policy = ledger.policy
    limitsTopUps = ledger.policy.topUpLimit != nil
    hasThresholds = !ledger.policy.lowBalance.isEmpty
    systemTime = ledger.systemTime
    self.makeID = makeID
    prices = PlainPrices(ledger.policy)
    hashes.initialize(repeating: 0, count: Self.hashCount)
  }

  deinit {
    hashes.deallocate()
  }

  /// Serves a run, as far as the batch has room for it, but one request at least.
  /// - Throws: an error that ends the batch.
  func serve(_ run: PlainRun) throws(CreditError) -> PlainAnswers {
    let answers = PlainAnswers()
    books.expectNothing()
    places = changes.places
    // On a simulated clock each account has its own time, and ids follow from it.
    let isUsual = !policy.clockIsSimulated
    try run.withText { (text) throws(CreditError) in
      let requests = run.requests
      expect(requests.prefix(KeyPlaces.groupCount), in: text)
      for number in requests.indices {
        if batch.isFull, number > 0 { break }
        if number % KeyPlaces.groupCount == 0 {
          let rest = requests.dropFirst(number + KeyPlaces.groupCount)
          expect(rest.prefix(KeyPlaces.groupCount), in: text)
        }
        let hash = hashes[number % Self.hashCount]
        if isUsual, serve(requests[number], of: run, in: text, hash) {
          lineCount += 1
          continue
        }
        take(into: answers)
        books.beginRequest()
        answers.add(try ledger.answer(to: run.request(number)), to: number)
      }
    }
    take(into: answers)
    return answers
  }

  private func take(into answers: PlainAnswers) {
    if lineCount > 0 { output.withBytes { answers.add($0, lineCount: lineCount) } }
    output.removeAll()
    lineCount = 0
  }

  /// Fetches the places where the look-ups of a group will begin.
  @inline(__always)
  private func expect(_ group: ArraySlice<PlainRequest>, in text: UnsafeRawBufferPointer) {
    for number in group.indices {
      hashes[number % Self.hashCount] = hash(of: group[number], in: text)
    }
    // One right after another.
    for number in group.indices {
      let hash = hashes[number % Self.hashCount]
      if hash != 0 { places.prefetch(hash) }
    }
  }

  /// The hash of what a request will look up; 0 where that is nothing.
  @inline(__always)
  private func hash(of request: PlainRequest, in text: UnsafeRawBufferPointer) -> UInt64 {
    let reference = text[request.reference]
    return reference.isEmpty ? 0 : hash(of: reference, request, in: text)
  }

  @inline(__always)
  private func hash(
    of reference: UnsafeRawBufferPointer, _ request: PlainRequest, in text: UnsafeRawBufferPointer
  ) -> UInt64 {
    switch request.action {
    case .charge: hasher.chargeKey(reference, of: accountName(of: request, in: text))
    case .settle, .authorize: hasher.authorization(reference)
    case .topUp: hasher.transaction(reference)
    case .topUpByKey: hasher.topUpKey(reference, of: accountName(of: request, in: text))
    }
  }

  func accountName(of request: PlainRequest, in text: UnsafeRawBufferPointer)
    -> UnsafeRawBufferPointer
  {
    request.account.count > 0 ? text[request.account] : Self.defaultAccount
  }

  private static var defaultAccount: UnsafeRawBufferPointer {
    let name = Name.defaultAccountText
    return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
  }

  /// Serves a request, if it is as usual.
  /// - Returns: whether it was served; else nothing has changed.
  @inline(__always)
  private func serve(
    _ request: PlainRequest, of run: PlainRun, in text: UnsafeRawBufferPointer, _ hash: UInt64
  ) -> Bool {
    do throws(CreditError) {
      switch request.action {
      case .charge: return try charge(request, in: text, hash)
      case .settle: return try settle(request, in: text, hash)
      case .authorize:
        let passed = run.isPassed ? PassedRequest(request, in: text) : nil
        return try authorize(request, in: text, hash, addedTo: passed)
      case .topUp, .topUpByKey: return try topUp(request, in: text, hash)
      }
    } catch {
      // The ledger meets with it again.
      return false
    }
  }

  /// When a request happens: see ``Ledger/time(of:)``.
  var time: Timestamp { max(systemTime, books.latestTime ?? systemTime) }

  /// Whether a change of an account's balance is told of: the ledger does that.
  @inline(__always)
  func crosses(_ known: KnownAccount, by price: Credits) -> Bool {
    hasThresholds && crossesThreshold(known, by: price)
  }

  private func crossesThreshold(_ known: KnownAccount, by price: Credits) -> Bool {
    let balance = known.account.balance
    return policy.crossed(from: balance, to: balance &- price) != nil
  }
}
