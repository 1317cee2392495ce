import CreditModel

enum PaymentSourceDecoder {
  static func source(_ value: JSONValue) throws(PolicyProblem) -> PaymentSource {
    let reader = try ObjectReader(value, known: PolicyShape.paymentSource)
    guard let format = value.string("format").flatMap(PaymentFormat.init) else {
      throw reader.invalid(
        "format",
        "must be \(PaymentFormat.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))")
    }
    let file = try reader.required("secretFile", try reader.text("secretFile"))
    // Its text may be a secret, which no message repeats.
    guard !file.utf8.contains(UInt8(ascii: "/")), file.utf8.first != UInt8(ascii: ".") else {
      throw reader.invalid("secretFile", "must be the name of a file beside the policy")
    }
    guard !secretBeginnings.contains(where: file.lowercased().hasPrefix) else {
      throw reader.invalid(
        "secretFile", "is a secret itself; it must be the name of a file beside the policy")
    }
    var source = PaymentSource(format: format, secretFile: file)
    if let text = try reader.text("tolerance") {
      // Providers repeat an event as long as that.
      guard let span = TimeSpan(text: text), (1...7 * 86_400_000).contains(span.milliseconds)
      else { throw reader.invalid("tolerance", "must be a duration from \"1s\" to \"7d\"") }
      source.tolerance = span
    }
    source.accountFrom = try paths("accountFrom", reader)
    source.productFrom = try paths("productFrom", reader)
    source.quantityFrom = try paths("quantityFrom", reader)
    source.products = try products(reader)
    source.isLiveOnly = try reader.bool("liveOnly") ?? false
    source.requiresKnownProducts = try reader.bool("onlyOurs") ?? false
    source.skipsUnknownLines = try reader.choice("unknownLines", "refuse", "skip") ?? false
    source.excludesTax = try reader.choice("tax", "include", "exclude") ?? false
    if format == .standard, reader.value.member("tax") != nil {
      throw reader.invalid("tax", "needs a format other than \"standard\"")
    }
    try body(&source, reader)
    return source
  }

  private static let secretBeginnings = [
    "whsec_", "pdl_", "polar_whs_", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "bearer ",
    "basic ",
  ]

  private static let bodyPaths: [StaticString] = [
    "idFrom", "amountFrom", "refundedFrom", "currencyFrom", "timeFrom", "untilFrom",
  ]

  /// A path, or a list of them.
  private static func paths(_ key: StaticString, _ reader: ObjectReader) throws(PolicyProblem)
    -> [String]
  {
    if reader.value.member(key)?.kind == .string, let one = try reader.text(key) { return [one] }
    return try reader.list(key, limit: 16) { path throws(PolicyProblem) in
      try ObjectReader.text(path)
    }
  }

  private static func products(_ reader: ObjectReader) throws(PolicyProblem) -> [String: Name] {
    guard let value = reader.value.member("products") else { return [:] }
    return try reader.inside("products") { () throws(PolicyProblem) in
      guard value.isObject else { throw PolicyProblem("must be an object") }
      var products: [String: Name] = [:]
      for (name, product) in value.members {
        guard products.count < 10_000 else { throw PolicyProblem("has more than 10000 entries") }
        let key = name.string ?? ""
        guard let id = product.string, Name.problem(with: id, limit: Name.idLimit) == nil else {
          throw PolicyProblem("must be a product's id", at: key)
        }
        products[key] = Name(trusted: id)
      }
      return products
    }
  }

  /// Reads the meaning of Standard Webhooks' bodies. Other formats state it themselves.
  private static func body(_ source: inout PaymentSource, _ reader: ObjectReader)
    throws(PolicyProblem)
  {
    guard source.format == .standard else {
      for key in ["types"] + bodyPaths where reader.value.member(key) != nil {
        throw reader.invalid(key, "needs the format \"standard\"")
      }
      return
    }
    source.body.idFrom = try paths("idFrom", reader)
    source.body.amountFrom = try paths("amountFrom", reader)
    source.body.refundedFrom = try paths("refundedFrom", reader)
    source.body.currencyFrom = try paths("currencyFrom", reader)
    source.body.timeFrom = try paths("timeFrom", reader)
    source.body.untilFrom = try paths("untilFrom", reader)
    guard let types = reader.value.member("types"), types.isObject else {
      throw reader.invalid("types", "must be an object")
    }
    for (name, meaning) in types.members {
      let key = name.string ?? ""
      let known = meaning.string.flatMap(PaymentSource.StandardBody.Meaning.init)
      guard let known else {
        throw PolicyProblem(
          "must be \"purchase\", \"pending\", \"failed\", \"refund\", \"subscription\" or \"end\"",
          at: "types.\(key)")
      }
      source.body.types[key] = known
    }
    let meanings = source.body.types.values
    if meanings.contains(.subscription) || meanings.contains(.end), source.body.untilFrom.isEmpty {
      throw reader.invalid("untilFrom", "is missing; it gives the end of the paid period")
    }
    guard meanings.contains(.refund) else { return }
    if source.body.refundedFrom.isEmpty {
      throw reader.invalid("refundedFrom", "is missing; it gives the amount of a refund")
    }
    if source.body.amountFrom.isEmpty {
      throw reader.invalid(
        "amountFrom", "is missing; a partial refund needs it for its share of credits")
    }
  }
}
