/// The flags of `credit-topup` alone.
extension Flag {
  static let product = TextFlag(
    "product", "ID", .name(.product), member: "product", group: .request,
    "What was bought: a product of the catalog",
    detail: "One that is no longer on sale still grants its credits.")

  static let quantity = NumberFlag(
    "quantity", "N", member: "quantity", group: .request,
    "How many of the product: 1 if not given")

  static let credits = NumberFlag(
    "credits", "N", member: "credits", group: .request,
    "How many credits, where no product says so",
    detail: """
      From 1 to 9007199254740992. An adjustment may be negative: with a `--reason` it takes credits
      as a refund of a purchase does, outside the policy's limit of top-ups.
      """)

  static let grantType = TextFlag(
    "type", "TYPE", .choice(["purchase", "subscription", "bonus", "adjustment"]), member: "type",
    group: .request, "What the credits are: purchase if not given",
    detail: "Of a product that has a plan it is subscription, whether given or not.")

  static let paymentStatus = TextFlag(
    "status", "STATUS", .choice(["completed", "pending", "failed"]), member: "status",
    group: .request, "The state of the payment: completed if not given",
    detail: """
      A pending or failed top-up is recorded and grants nothing. The same id may become completed
      later, which grants once: the recorded credits, even if the product has changed, with the
      recorded price, currency and terms unless the request says others. A later pending or failed
      for the same id is ignored.
      """)

  static let price = TextFlag(
    "price", "DECIMAL", member: "price", group: .request,
    "What was paid, for the record: 9.99",
    detail: """
      It is recorded as given; reports add it up, and refunds pay it back. Without it, a purchase
      of a product is recorded with the product's own price and currency, times the quantity.
      """)

  static let currency = TextFlag(
    "currency", "CODE", member: "currency", group: .request,
    "The currency of the price, for the record: USD")

  static let expiresAt = TimeFlag(
    "expires-at", member: "expiresAt", group: .request,
    "When the credits expire, or a subscription's paid period ends",
    detail: """
      A subscription needs it. The same transaction with a later end is paid further by that; with
      an earlier one it is a repeat.
      """)

  static let grantExpiresIn = SpanFlag(
    "expires-in", member: "expiresIn", group: .request,
    "When the credits expire, from their start: 30d")

  static let startsAt = TimeFlag(
    "starts-at", member: "startsAt", group: .request, "When the credits can first be used",
    detail: """
      At most 5 years ahead. Until then the transaction is `scheduled`, and its credits are no part
      of the balance, which shows them in `scheduled`.
      """)

  static let startsIn = SpanFlag(
    "starts-in", member: "startsIn", group: .request,
    "When the credits can first be used, from now: 7d")

  static let priority = NumberFlag(
    "priority", "N", member: "priority", group: .request,
    "Lower is used first: 0 to 100, 50 if not given")

  static let grantModels = TextFlag(
    "models", "ID,...", .list, member: "models", group: .request,
    "The models that the credits are for: all if not given",
    detail: """
      Ids of the catalog, or beginnings of ids before a `*`: `claude-*`. In a request it is a list.
      Standard error says if the catalog has no such model, as the credits then pay for nothing.
      """)

  static let grantBelow = NumberFlag(
    "below", "N", member: "below", group: .request, "Grant only if the balance is below N",
    detail: """
      Otherwise nothing is recorded, with any status, and the answer is
      `{"account":...,"skipped":true,"balance":...}`.
      """)

  static let grantTo = NumberFlag(
    "to", "N", .notNegative, member: "to", group: .request,
    "Grant what is missing to a balance of N",
    detail: """
      With a product, as many of it as that takes. Where nothing is missing, nothing is recorded,
      and the answer is that of `--below`, with which it goes: `--below 100 --to 5000`. A repeat
      is answered with what was granted then; one that was pending grants what was missing when it
      was recorded.
      """)

  static let appAccountToken = TextFlag(
    "app-account-token", "UUID", member: "appAccountToken", group: .request,
    "The token that a StoreKit transaction must carry")

  static let strict = Switch(
    "strict", group: .action, "Refuse a repeat with duplicate_transaction",
    detail: "Without it, a repeat is answered like the first time.")

  static let storeKit = Switch(
    "storekit", group: .action, "Accept StoreKit's own transactions alone",
    detail: """
      For input that comes from clients: signed transactions (a bare JWS on a line, or in
      `signedTransactionInfo`, `jwsRepresentation` or `transaction_data`), App Store Server
      notifications (`signedPayload`), and a transaction as JSON. A JWS is verified against the
      policy's `appStore` before anything else, with the `openssl` command.
      """)
}
