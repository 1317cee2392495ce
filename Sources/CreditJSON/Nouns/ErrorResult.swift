package import CreditModel

extension JSONWriter {
  /// Writes an error as a result: `{"error":{"code":…,"status":…,"message":…,…}}`.
  package mutating func error(_ error: CreditError) {
    beginObject()
    part("error", error) { writer, known in
      writer.errorMembers(known)
      for detail in error.details { writer.member(of: detail) }
    }
    endObject()
  }

  private mutating func member(of detail: CreditError.Detail) {
    switch detail {
    case .account(let name): optional("account", name, AccountName.self)
    case .balance(let credits): optional("balance", credits, Whole.self)
    case .available(let credits): optional("available", credits, Whole.self)
    case .payer(let name): optional("payer", name, AccountName.self)
    case .price(let credits): optional("price", credits, Whole.self)
    case .limits(let refusals): limitRefusals(refusals)
    case .authorization(let authorization):
      authorizationPart(authorization)
    case .receipt(let receipt): part("receipt", receipt) { $0.receiptMembers($1 ?? .sample) }
    case .transaction(let transaction):
      part("transaction", transaction) { $0.transactionMembers($1) }
    case .transfer(let transfer): part("transfer", transfer) { $0.transferMembers($1) }
    case .model(let id): optional("model", id, Text.self)
    case .product(let id): optional("product", id, Text.self)
    case .from(let time): optional("from", time, Time.self)
    case .unpriced(let names): optional("unpriced", names, Texts.self)
    case .missing(let names): optional("missing", names, Texts.self)
    case .key(let key): optional("key", key, ID.self)
    case .authorizationID(let id): optional("authorization", id, ID.self)
    case .transactionID(let id): optional("transaction", id, ID.self)
    case .retryAfter(let seconds): optional("retryAfter", seconds, Whole.self)
    case .reason(let reason): optional("reason", reason, Text.self)
    case .outcome(let outcome): optional("outcome", outcome, Text.self)
    case .partial(let usage): optional("partial", usage, UsageCounts.self)
    case .path(let path): optional("path", path, Text.self)
    case .line(let line): optional("line", Int64(line), Whole.self)
    case .offset(let offset): optional("offset", Int64(offset), Whole.self)
    case .lost(let count): optional("lost", Int64(count), Whole.self)
    case .holder(let holder):
      part("holder", holder) { writer, _ in
        writer.member("process", holder.process, Whole.self)
        writer.member("command", holder.command, Text.self)
        writer.member("since", holder.since, Time.self)
      }
    case .hint: break
    }
  }
}

extension ResultVisitor where Self: ~Copyable {
  fileprivate mutating func errorMembers(_ known: CreditError?) {
    member("code", known?.code.rawValue, Text.self)
    member("status", known.map { Int64($0.code.status) }, Whole.self)
    member("message", known?.message, Text.self)
  }
}

extension JSONShape {
  /// An error as a result.
  package static var error: JSONShape {
    .object([
      JSONMember(
        "error",
        .object(
          [
            .text("code"), .integer("status"), .text("message"),
            .text("account").optional, .integer("balance").optional, .integer("available").optional,
            .text("payer").optional, .integer("price").optional,
          ] + limits + [
            JSONMember("authorization", orID(authorization)).optional,
            JSONMember("receipt", receipt).optional,
            JSONMember("transaction", orID(transaction)).optional,
            JSONMember("transfer", transfer).optional,
            .text("model").optional, .text("product").optional, .time("from").optional,
            .list("unpriced", of: .value(.text)).optional,
            .list("missing", of: .value(.text)).optional, .text("key").optional,
            .integer("retryAfter").optional, .text("reason").optional, .text("outcome").optional,
            JSONMember("partial", UsageCounts.shape).optional, .text("path").optional,
            .integer("line").optional, .integer("offset").optional, .integer("lost").optional,
            JSONMember(
              "holder", .object([.integer("process"), .text("command"), .time("since")])
            ).optional,
          ]))
    ])
  }

  /// Returns the shape of an error's subject, or of its id alone. Requests have the id.
  private static func orID(_ shape: JSONShape) -> JSONShape { .anyOf([shape, .value(.text)]) }

  private static var limits: [JSONMember] {
    var recorder = ShapeRecorder()
    recorder.limitRefusals(nil)
    return recorder.members
  }

  private static var authorization: JSONShape {
    ShapeRecorder.shape { $0.authorizationMembers(.sample) }
  }

  private static var transaction: JSONShape { ShapeRecorder.shape { $0.transactionMembers(nil) } }

  private static var transfer: JSONShape { ShapeRecorder.shape { $0.transferMembers(nil) } }
}
