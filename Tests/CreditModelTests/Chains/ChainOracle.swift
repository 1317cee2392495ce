import CreditModel

/// Payers of accounts, computed slowly from the contract's sentences: holds and payments are kept
/// one by one, and a limit's counter is a sum of all that counts.
struct ChainOracle {
  /// A payment of an account above for a charge, and its way up.
  struct Payment {
    let account: Name
    var credits: Credits
    let way: Int
  }

  struct Charged {
    let account: Name
    let time: Timestamp
    var own: Credits = 0
    /// In the order of the first payments.
    var above: [Payment] = []
    var refunded: Credits = 0
    /// The accounts that its credits reached when it was charged or corrected, its own first.
    var reached: [Name] = []
    /// The whole price, before refunds.
    var charged: Credits = 0
    /// The work that it counts at accounts by now.
    var counted: [Name: Work] = [:]

    var price: Credits { above.reduce(own) { $0 + $1.credits } }
  }

  struct Hold {
    let account: Name
    let parts: [(account: Name, credits: Credits)]
    let until: Timestamp
  }

  /// Work in limits of requests, and of dollars: a credit is a thousandth.
  struct Work {
    var requests = 0
    var thousandths: Credits = 0
  }

  /// A number of an account's own limit, nil if it lifts it, and its end.
  struct OwnNumber {
    let credits: Credits?
    let until: Timestamp?
  }

  struct LimitKey: Hashable {
    let account: Name
    let id: Name
  }

  private struct Fact {
    let account: Name
    let time: Timestamp
    var credits: Credits = 0
    var work = Work()
  }

  private(set) var balances: [Name: Credits] = [:]
  var parents: [Name: Name] = [:]
  var open: [Name: Hold?] = [:]
  var charges: [Name: Charged] = [:]
  private var facts: [Fact] = []
  /// The numbers that were set one after another.
  private var own: [LimitKey: [OwnNumber]] = [:]
  private var began: [LimitKey: Timestamp] = [:]

  mutating func deposit(_ credits: Credits, to name: Name) { balances[name, default: 0] += credits }

  func chain(_ name: Name) -> [Name] { [name] + (parents[name].map(chain) ?? []) }

  func height(_ name: Name) -> Int {
    1 + (parents.filter { $0.value == name }.map { height($0.key) }.max() ?? 0)
  }

  func held(_ name: Name, at time: Timestamp) -> Credits {
    open.values.compactMap { $0 }.filter { $0.until > time }.flatMap(\.parts)
      .filter { $0.account == name }.reduce(0) { $0 + $1.credits }
  }

  /// Credits that one account may have to pay.
  private func free(_ name: Name, at time: Timestamp) -> Credits {
    max(0, balances[name, default: 0] - held(name, at: time))
  }

  func available(_ name: Name, at time: Timestamp) -> Credits {
    let chain = chain(name)
    if chain.count == 1 { return balances[name, default: 0] - held(name, at: time) }
    return chain.reduce(0) { $0 + free($1, at: time) }
  }

  /// Each account gives its available credits, the last one the rest; none are left behind the
  /// last.
  func parts(of credits: Credits, for name: Name, at time: Timestamp)
    -> [(account: Name, credits: Credits)]
  {
    var parts: [(account: Name, credits: Credits)] = []
    var rest = credits
    let chain = chain(name)
    for account in chain where rest > 0 || parts.isEmpty {
      let part = account == chain.last ? rest : min(rest, free(account, at: time))
      parts.append((account, part))
      rest -= part
    }
    return parts
  }

  // MARK: Charges

  mutating func charge(_ id: Name, _ credits: Credits, to name: Name, at time: Timestamp) {
    open[id] = .some(nil)
    charges[id] = Charged(account: name, time: time)
    pay(credits, for: id, at: time)
    countWork(of: id, isReached: true)
  }

  mutating func amend(_ id: Name, to credits: Credits, at time: Timestamp) {
    let price = charges[id]?.price ?? 0
    if credits < price { giveBack(price - credits, of: id) }
    if credits > price { pay(credits - price, for: id, at: time) }
    countWork(of: id, isReached: true)
  }

  mutating func refund(_ id: Name, upTo credits: Credits) {
    let refunded = charges[id]?.refunded ?? 0
    giveBack(credits - refunded, of: id)
    charges[id]?.refunded = credits
    countWork(of: id, isReached: false)
  }

  /// All of the work counts at each account that credits reached. A refund takes off its part; the
  /// request goes with the last credit.
  /// - Parameter isReached: whether the accounts and the price are those of now.
  private mutating func countWork(of id: Name, isReached: Bool) {
    guard var charge = charges[id] else { return }
    if isReached {
      charge.charged = charge.price
      charge.reached = [charge.account]
      for (place, payment) in charge.above.enumerated() {
        let isPassed = charge.above[place...].contains { $0.way == payment.way && $0.credits > 0 }
        if isPassed { charge.reached.append(payment.account) }
      }
    }
    for name in Set(charge.reached).union(charge.counted.keys) {
      var work = Work()
      if charge.reached.contains(name) {
        let isGone = charge.refunded > 0 && charge.refunded == charge.charged
        work = Work(requests: isGone ? 0 : 1, thousandths: charge.charged - charge.refunded)
      }
      let known = charge.counted[name] ?? Work()
      var fact = Fact(account: name, time: charge.time)
      fact.work.requests = work.requests - known.requests
      fact.work.thousandths = work.thousandths - known.thousandths
      facts.append(fact)
      charge.counted[name] = work
    }
    charges[id] = charge
  }

  private mutating func pay(_ credits: Credits, for id: Name, at time: Timestamp) {
    guard var charged = charges[id] else { return }
    let parts = parts(of: credits, for: charged.account, at: time)
    let names = parts.dropFirst().map(\.account)
    let last = charged.above.last?.way ?? 0
    let known = charged.above.filter { $0.way == last }.map(\.account)
    let continues = zip(known, names).allSatisfy { $0 == $1 }
    let way = charged.above.isEmpty || continues ? last : last + 1
    charged.own += parts[0].credits
    move(-parts[0].credits, charged.account)
    count(credits, charged.account, charged.time)
    var reached = credits - parts[0].credits
    for (account, credits) in parts.dropFirst() {
      if let place = charged.above.lastIndex(where: { $0.way == way && $0.account == account }) {
        charged.above[place].credits += credits
      } else {
        charged.above.append(Payment(account: account, credits: credits, way: way))
      }
      move(-credits, account)
      count(reached, account, charged.time)
      reached -= credits
    }
    charges[id] = charged
  }

  /// The farthest payer first; those on the way to it count the credits that go back through them.
  private mutating func giveBack(_ credits: Credits, of id: Name) {
    guard var charged = charges[id] else { return }
    var rest = credits
    // The first payer is the last to get credits back, including its later payments.
    var payers: [Name] = []
    for payment in charged.above where !payers.contains(payment.account) {
      payers.append(payment.account)
    }
    let places = payers.reversed().flatMap { payer in
      charged.above.indices.reversed().filter { charged.above[$0].account == payer }
    }
    for place in places {
      let payment = charged.above[place]
      let part = min(rest, payment.credits)
      charged.above[place].credits -= part
      move(part, payment.account)
      for passed in charged.above[...place] where passed.way == payment.way {
        count(-part, passed.account, charged.time)
      }
      rest -= part
    }
    while charged.above.last?.credits == 0 { charged.above.removeLast() }
    charged.own -= rest
    move(rest, charged.account)
    count(-credits, charged.account, charged.time)
    charges[id] = charged
  }

  private mutating func move(_ credits: Credits, _ name: Name) {
    balances[name, default: 0] += credits
  }

  // MARK: Limits

  /// A number without an end takes the place of all before it, one with an end that of such alone,
  /// or that of the one in force if the plan has a number, too.
  mutating func set(
    _ number: OwnNumber?, for key: LimitKey, at time: Timestamp, isPlanned: Bool
  ) {
    let current = self.number(of: key, at: time)
    if current == nil { began[key] = time }
    let replacesAll = number?.until == nil || isPlanned && current?.until == nil
    let kept = replacesAll ? [] : own[key, default: []].filter { $0.until == nil }
    own[key] = kept + [number].compactMap { $0 }
  }

  /// The newest number that has not ended.
  func number(of key: LimitKey, at time: Timestamp) -> OwnNumber? {
    own[key, default: []].last { $0.until.map { $0 > time } ?? true }
  }

  /// When its counter began, of a limit that no plan has.
  func start(of key: LimitKey) -> Timestamp? { began[key] }

  /// Whether a number without an end applies again.
  func hasReturned(_ key: LimitKey, at time: Timestamp) -> Bool {
    own[key, default: []].count == 2 && number(of: key, at: time)?.until == nil
  }

  private mutating func count(_ credits: Credits, _ name: Name, _ time: Timestamp) {
    facts.append(Fact(account: name, time: time, credits: credits))
  }

  func used(_ name: Name, since: Timestamp) -> Credits {
    facts.reduce(0) { $1.account == name && $1.time >= since ? $0 + $1.credits : $0 }
  }

  func worked(_ name: Name, since: Timestamp) -> Work {
    var sum = Work()
    for fact in facts where fact.account == name && fact.time >= since {
      sum.requests += fact.work.requests
      sum.thousandths += fact.work.thousandths
    }
    return sum
  }
}
