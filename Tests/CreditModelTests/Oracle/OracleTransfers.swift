import CreditModel

// Transfers.
extension LedgerOracle {
  mutating func transfer(_ request: TransferRequest, _ newID: Name) throws(Refusal) -> String {
    let first = transfers.first {
      $0.request.from == request.from && $0.request.key == request.key
    }
    if let first {
      guard first.request.to == request.to, first.request.credits == request.credits else {
        throw Refusal(code: .idempotencyConflict)
      }
      return first.text + " again"
    }
    if request.from == request.to { throw Refusal(code: .invalidRequest) }
    guard let receiver = try account(request.to, at: .earliest) else {
      throw Refusal(code: .unknownAccount)
    }
    // Both clocks go to the later one.
    let giverClock = try account(request.from, at: .earliest)?.clock
    let time = max(now, receiver.clock, giverClock ?? now)
    return try whole { (books) throws(Refusal) in
      let giver = try books.open(request.from, time)
      if try books.account(request.to, at: time)?.isClosed ?? false {
        throw Refusal(code: .accountClosed)
      }
      let plain = giver.lots.filter { $0.kind == .purchased && $0.grant == nil }
      let purchased = plain.reduce(0) { $0 + $1.credits }
      guard Int128(request.credits) <= min(purchased, giver.available) else {
        throw Refusal(code: .insufficientCredits)
      }
      books.enter(request.from, time, .given(request.credits))
      books.enter(request.to, time, .granted(request.credits, .purchased, until: nil))
      let text =
        "transferred \(newID.text) \(request.credits) from \(request.from.text) "
        + "\(try books.balance(request.from, time)) to \(request.to.text) "
        + "\(try books.balance(request.to, time)) at \(time.text)"
      books.transfers.append(Transfer(request: request, text: text))
      return text
    }
  }
}
