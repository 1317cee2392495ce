/// The flags of requests that several tools share.
extension Flag {
  static let account = TextFlag(
    "account", "NAME", .name(.account), member: "account", group: .request,
    "The account: default if not given")

  static let authorization = AuthorizationFlag(
    "authorization", member: "authorization", group: .request,
    "The authorization to charge, once",
    detail: """
      It may also be the object that credit-authorize(1) answered with, here as in a request.
      """)

  static let transaction = TextFlag(
    "transaction", "ID", member: "transaction", group: .request,
    "The payment's id: unique in the store")

  static let key = TextFlag(
    "key", "KEY", member: "key", group: .request,
    "An id of your own instead: unique within the account")

  static let reason = TextFlag(
    "reason", "TEXT", member: "reason", group: .request, "Why, for the record")

  static let tag = ListFlag(
    "tag", "NAME=VALUE", .tag, member: "tags", group: .request,
    "A tag for reports; may be given several times",
    detail: """
      Up to 16 of them, names of at most 64 letters, digits, `_`, `-` and `/`, values of at most
      256 bytes, 1 KB in all. Tags are ignored when a repeated request is compared with
      the first.
      """)

  static let all = Switch("all", group: .selection, "Every account, in the order of the names")
}
