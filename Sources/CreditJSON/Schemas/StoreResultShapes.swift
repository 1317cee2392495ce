/// What the tools answer that look after a store.
extension JSONShape {
  package static var created: JSONShape { .object([.text("store"), .truth("created")]) }

  package static var storeInfo: JSONShape {
    .object([
      .text("store"), .integer("version"), .integer("records"), .integer("accounts"),
      .integer("bytes"), .time("lastTime").optional, .integer("lost").optional, torn,
    ])
  }

  package static var verified: JSONShape {
    .object([
      .truth("ok"), .integer("records"), .integer("accounts"), .integer("credits"),
      .integer("bytes"), .text("index").optional, torn,
    ])
  }

  /// What there is of appends that did not end: without a file what no write has set aside yet.
  private static var torn: JSONMember {
    .list("torn", of: .object([.text("file").optional, .integer("records"), .integer("bytes")]))
      .optional
  }

  /// What `credit-doctor` says of one thing that it looks at.
  package static var examined: JSONShape {
    .object([
      .text("check"), .text("state"), .text("message"), .text("code").optional,
      JSONMember(
        "holder", .object([.integer("process"), .text("command"), .time("since")])
      ).optional,
      .text("store").optional, .integer("version").optional, .integer("records").optional,
      .integer("accounts").optional, .integer("bytes").optional, .time("lastTime").optional, torn,
      .list("exposed", of: .value(.text)).optional,
      .integer("freeBytes").optional, .integer("totalBytes").optional,
      .integer("behindSeconds").optional, .list("warnings", of: .value(.text)).optional,
      .integer("below").optional,
      .list("lowest", of: .object([.text("account"), .integer("balance")])).optional,
    ])
  }

  package static var policyChecked: JSONShape { .object([.truth("ok")]) }

  package static var policySet: JSONShape { .object([.truth("set")]) }

  package static var rebuilt: JSONShape {
    .object([.truth("rebuilt"), JSONMember("dropped", dropped).optional])
  }

  /// What was given up of a damaged store.
  private static var dropped: JSONShape {
    .object([
      .text("file").optional, .integer("bytes"), .integer("places"), .integer("lost"),
      .list("accounts", of: .value(.text)),
    ])
  }

  /// What has come to a store from elsewhere.
  package static var moved: JSONShape {
    .object([.text("store"), .integer("records"), .integer("accounts")])
  }
}
