public import CreditModel

extension JSONWriter {
  /// Writes an error as a result: `{"error":{"code":…,"status":…,"message":…,…}}`.
  public mutating func error(_ error: CreditError) { element { $0.errorPart(error) } }
}

extension JSONShape {
  public static var error: JSONShape {
    ShapeRecorder.shape {
      $0.errorPart(CreditError(.invalidRequest, "", CreditError.Detail.samples))
    }
  }
}

extension ResultVisitor where Self: ~Copyable {
  fileprivate mutating func errorPart(_ known: CreditError) {
    part("error") { visitor in
      visitor.member("code", known.code, WordText<CreditError.Code>.self)
      visitor.member("status", known.code.status, Count.self)
      visitor.member("message", known.message, Text.self)
      for detail in known.details { visitor.detail(detail) }
    }
  }

  private mutating func detail(_ known: CreditError.Detail) {
    switch known {
    case .account(let name): optional("account", name, AccountName.self)
    case .balance(let credits): optional("balance", credits, Whole.self)
    case .available(let credits): optional("available", credits, Whole.self)
    case .payer(let name): optional("payer", name, AccountName.self)
    case .price(let credits): optional("price", credits, Whole.self)
    case .limits(let refusals): limitRefusals(refusals)
    case .authorization(let authorization): authorizationPart(authorization, isRequired: false)
    case .authorizationID(let id): optional("authorization", id, ID.self)
    case .receipt(let charge): part("receipt", isRequired: false) { $0.receiptMembers(charge) }
    case .transaction(let transaction): transactionPart(transaction, isRequired: false)
    case .transactionID(let id): optional("transaction", id, ID.self)
    case .transfer(let transfer): transferPart(transfer, isRequired: false)
    case .model(let id): optional("model", id, Text.self)
    case .product(let id): optional("product", id, Text.self)
    case .from(let time): optional("from", time, Time.self)
    case .unpriced(let names): optional("unpriced", names, List<Text>.self)
    case .missing(let names): optional("missing", names, List<Text>.self)
    case .key(let key): optional("key", key, ID.self)
    case .retryAfter(let seconds): optional("retryAfter", seconds, Whole.self)
    case .reason(let reason): optional("reason", reason, Text.self)
    case .outcome(let outcome): optional("outcome", outcome, Text.self)
    case .partial(let usage): optional("partial", usage, UsageCounts.self)
    case .path(let path): optional("path", path, Text.self)
    case .line(let line): optional("line", line, Count.self)
    case .offset(let offset): optional("offset", offset, Count.self)
    case .lost(let count): optional("lost", count, Count.self)
    case .holder(let process): holder(process)
    case .hint, .unknown: break
    }
  }

  /// Visits the process that holds a lock.
  public mutating func holder(_ known: CreditError.Holder?) {
    part("holder", known, isRequired: false) { visitor, known in
      visitor.member("process", known?.process, Whole.self)
      visitor.member("command", known?.command, Text.self)
      visitor.member("since", known?.since, Time.self)
    }
  }
}

extension CreditError.Detail {
  /// One of each, in the order of a schema.
  fileprivate static let samples: [CreditError.Detail] = [
    .account(.nobody), .balance(0), .available(0), .payer(.nobody), .price(0), .limits([]),
    .authorization(.sample), .authorizationID(.nobody), .receipt(.sample), .transaction(.sample),
    .transactionID(.nobody), .transfer(.sample), .model(""), .product(""), .from(.earliest),
    .unpriced([]), .missing([]), .key(.nobody), .retryAfter(0), .reason(""), .outcome(""),
    .partial(.units(0)), .path(""), .line(0), .offset(0), .lost(0),
    .holder(CreditError.Holder(process: 0, command: "", since: .earliest)),
  ]
}

extension CreditError {
  /// Text that is no JSON.
  /// - Parameter advice: to follow the fault in the message; may be empty.
  public init(malformed error: JSONError, advice: String = "") {
    let details: [Detail] = [.line(error.line), .offset(error.offset)]
    self.init(.invalidJSON, error.message + advice, details)
  }
}
