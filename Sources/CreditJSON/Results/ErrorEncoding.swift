package import CreditModel

extension JSONWriter {
  /// Writes an error as a result: `{"error":{"code":…,"status":…,"message":…,…}}`.
  package mutating func error(_ error: CreditError) {
    beginObject()
    key("error")
    beginObject()
    member("code", error.code.rawValue)
    member("status", Int64(error.code.status))
    member("message", error.message)
    for detail in error.details { member(of: detail) }
    endObject()
    endObject()
  }

  private mutating func member(of detail: CreditError.Detail) {
    switch detail {
    case .account(let name): member("account", name)
    case .balance(let credits): member("balance", credits)
    case .available(let credits): member("available", credits)
    case .payer(let name): member("payer", name)
    case .price(let credits): member("price", credits)
    case .limits(let refusals): self.refusals(refusals)
    case .authorization(let authorization): member("authorization", authorization)
    case .receipt(let receipt):
      key("receipt")
      self.receipt(receipt)
    case .transaction(let transaction): member("transaction", transaction)
    case .transfer(let transfer): member("transfer", transfer)
    case .model(let id): member("model", id)
    case .product(let id): member("product", id)
    case .from(let time): member("from", time)
    case .unpriced(let names): member("unpriced", names)
    case .missing(let names): member("missing", names)
    case .key(let key): member("key", key)
    case .authorizationID(let id): member("authorization", id)
    case .transactionID(let id): member("transaction", id)
    case .retryAfter(let seconds): member("retryAfter", seconds)
    case .reason(let reason): member("reason", reason)
    case .outcome(let outcome): member("outcome", outcome)
    case .partial(let usage): member("partial", usage)
    case .path(let path): member("path", path)
    case .line(let line): member("line", Int64(line))
    case .offset(let offset): member("offset", Int64(offset))
    case .lost(let count): member("lost", Int64(count))
    case .holder(let holder):
      key("holder")
      beginObject()
      member("process", holder.process)
      member("command", holder.command)
      member("since", holder.since)
      endObject()
    case .hint: break
    }
  }
}
