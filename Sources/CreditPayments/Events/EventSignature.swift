public import CreditModel

/// Turns events of payment providers into requests, each after its signature was verified.
public struct PaymentEvents {
  private let sources: [PaymentSource]
  private let secrets: (String, _ place: String) throws(CreditError) -> [UInt8]

  /// - Parameter secrets: reads the file of secrets that a place of the policy names.
  public init(
    of sources: [PaymentSource],
    secrets: @escaping (String, _ place: String) throws(CreditError) -> [UInt8]
  ) {
    self.sources = sources
    self.secrets = secrets
  }

  /// The request that an event makes.
  /// - Parameters:
  ///   - format: the name of the event's format.
  ///   - now: the store's clock.
  /// - Throws: `unverified_transaction`, `invalid_request`, `invalid_json`, `invalid_policy`,
  ///   `unknown_product`.
  public func request(
    _ delivery: EventDelivery, of format: String?, at now: Timestamp
  ) throws(CreditError) -> PaymentRequest {
    guard let place = sources.firstIndex(where: { $0.format.rawValue == format }) else {
      throw EventRejection.notConfigured.error(of: format.flatMap(PaymentFormat.init(rawValue:)))
    }
    let signature = try signature(ofSource: place)
    do throws(EventRejection) {
      try signature.verify(delivery, at: now)
    } catch {
      throw error.error(of: sources[place].format)
    }
    return try EventReader.read(delivery, of: sources[place])
  }

  /// Checks that each source's secrets can be read.
  /// - Throws: `invalid_policy`, `permission_denied`, `io_error`.
  public func checkSecrets() throws(CreditError) {
    for place in sources.indices { _ = try signature(ofSource: place) }
  }

  private func signature(ofSource number: Int) throws(CreditError) -> EventSignature {
    let (source, place) = (sources[number], "events[\(number)].secretFile")
    let secrets = try secrets(source.secretFile, place)
    if let signature = EventSignature(secrets, of: source) { return signature }
    throw CreditError(
      .invalidPolicy, "\(place) names a file without a usable secret",
      [.path(place)])
  }
}

/// Checks that an event's sender has the secret, before its body is read.
///
/// Sources: docs.stripe.com/webhooks/signature (`t.body`, hexadecimal `v1`),
/// developer.paddle.com/webhooks/about/signature-verification (`ts:body`, hexadecimal `h1`), the
/// Standard Webhooks specification (`id.timestamp.body`, base64 after `v1,`; the secret is base64
/// after `whsec_`), revenuecat.com/docs/integrations/webhooks (the `Authorization` header that was
/// set there; if signing is on, `X-RevenueCat-Webhook-Signature` over `t.body`, with a hexadecimal
/// `v1` for each secret while one is changed).
public struct EventSignature {
  private let secrets: [[UInt8]]
  private let source: PaymentSource

  /// - Parameter secrets: the text of the file of secrets, one a line.
  /// - Returns: nil if the text has no secret that can be used.
  public init?(_ secrets: [UInt8], of source: PaymentSource) {
    let lines = secrets.split(separator: UInt8(ascii: "\n")).map { Self.trimmed($0) }
    let keys = source.format == .standard ? lines.compactMap(Self.standardKey) : lines
    // A secret that anybody can guess is not a secret.
    self.secrets = keys.filter { !$0.isEmpty }
    self.source = source
    if self.secrets.isEmpty { return nil }
  }

  /// Returns a line without the spaces around it, which an editor or HTTP has left.
  fileprivate static func trimmed(_ line: some BidirectionalCollection<UInt8>) -> [UInt8] {
    let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }
    var line = line.drop(while: isSpace)
    while let last = line.last, isSpace(last) { line = line.dropLast() }
    return Array(line)
  }

  /// - Parameter now: the store's clock.
  public func verify(_ delivery: EventDelivery, at now: Timestamp) throws(EventRejection) {
    switch source.format {
    case .stripe:
      try verify(
        Self.parts(delivery.values(.stripe), ",", time: "t", code: "v1"),
        ".", delivery, at: now)
    case .paddle:
      try verify(
        Self.parts(delivery.values(.paddle), ";", time: "ts", code: "h1"),
        ":", delivery, at: now)
    case .standard: try verifyStandard(delivery, at: now)
    case .revenuecat: try verifyRevenueCat(delivery)
    }
  }

  /// The time of the signature that a header gives, and its codes.
  private typealias Parts = (time: String, codes: [[UInt8]])

  /// Reads `t=1492774577,v1=5257a8…,v1=…`.
  private static func parts(
    _ headers: [String], _ separator: Character, time: String, code: String
  ) -> Parts? {
    var parts: Parts = ("", [])
    for header in headers {
      for part in header.split(separator: separator) {
        let text = part.drop { $0 == " " }
        guard let mark = text.firstIndex(of: "=") else { continue }
        let value = text[text.index(after: mark)...]
        if text[..<mark] == time { parts.time = String(value) }
        if text[..<mark] == code, value.utf8.count == 2 * SHA256.digestCount,
          let code = String(value).withUTF8Bytes(Hexadecimal.bytes)
        {
          parts.codes.append(code)
        }
      }
    }
    return parts.codes.isEmpty || parts.time.isEmpty ? nil : parts
  }

  /// - Parameter now: nil if the signature's time does not matter.
  private func verify(
    _ parts: Parts?, _ mark: String, _ delivery: EventDelivery, at now: Timestamp?
  ) throws(EventRejection) {
    guard let parts else { throw .noSignature }
    try check(parts.codes, [Array(parts.time.utf8), Array(mark.utf8), delivery.body])
    if let now { try checkTime(parts.time, at: now) }
  }

  private func verifyStandard(_ delivery: EventDelivery, at now: Timestamp)
    throws(EventRejection)
  {
    let ids = delivery.values(.id)
    let times = delivery.values(.timestamp)
    let codes = delivery.values(.signature)
      .flatMap { $0.split(separator: " ") }
      .filter { $0.hasPrefix("v1,") }
      .compactMap { Base64.decode(Array($0.dropFirst(3).utf8), .standard) }
    guard let id = ids.first, let time = times.first, !codes.isEmpty else { throw .noSignature }
    let point = Array(".".utf8)
    try check(codes, [Array(id.utf8), point, Array(time.utf8), point, delivery.body])
    try checkTime(time, at: now)
  }

  /// The key that a secret of Standard Webhooks is; without `whsec_` its bytes are.
  private static func standardKey(_ secret: [UInt8]) -> [UInt8]? {
    let mark = Array("whsec_".utf8)
    return secret.starts(with: mark)
      ? Base64.decode(secret[mark.count...], .standard) : secret
  }

  /// Every code is compared with every key's: one match is enough, while a secret is changed.
  private func check(_ codes: [[UInt8]], _ signed: [[UInt8]]) throws(EventRejection) {
    let matches = secrets.reduce(0) { matches, key in
      let expected = HMACSHA256.code(of: signed, key: key)
      return matches + codes.prefix(16).count { HMACSHA256.isSame($0, as: expected) }
    }
    if matches == 0 { throw .badSignature }
  }

  private func checkTime(_ seconds: String, at now: Timestamp) throws(EventRejection) {
    guard let time = Int64(seconds), (0...253_402_300_799).contains(time) else {
      throw .noSignature
    }
    let distance = now.milliseconds - time * 1000
    if abs(distance) > source.tolerance.milliseconds { throw .tooOld }
  }

  /// Either is enough: its signature, or the secret itself. A repeated event has no effect, so the
  /// signature's time does not matter.
  private func verifyRevenueCat(_ delivery: EventDelivery) throws(EventRejection) {
    let header = delivery.values(.revenueCat)
    guard let parts = Self.parts(header, ",", time: "t", code: "v1") else {
      return try verifyAuthorization(delivery)
    }
    do throws(EventRejection) {
      try verify(parts, ".", delivery, at: nil)
    } catch {
      if delivery.values(.authorization).isEmpty { throw error }
      try verifyAuthorization(delivery)
    }
  }

  private func verifyAuthorization(_ delivery: EventDelivery) throws(EventRejection) {
    guard let value = delivery.values(.authorization).first else { throw .noSignature }
    // Compares digests, so that the time does not reveal the length either.
    let given = SHA256.digest(Array(value.utf8))
    let matches = secrets.count { HMACSHA256.isSame(SHA256.digest($0), as: given) }
    if matches == 0 { throw .badSignature }
  }
}

enum EventHeader: String {
  case stripe = "Stripe-Signature"
  case paddle = "Paddle-Signature"
  case id = "webhook-id"
  case timestamp = "webhook-timestamp"
  case signature = "webhook-signature"
  case authorization = "Authorization"
  case revenueCat = "X-RevenueCat-Webhook-Signature"
}

extension PaymentFormat {
  /// The headers of its signature, in words.
  fileprivate var headers: String {
    func name(_ header: EventHeader) -> String { header.rawValue }
    return switch self {
    case .stripe: name(.stripe)
    case .paddle: name(.paddle)
    case .standard: "\(name(.id)), \(name(.timestamp)) and \(name(.signature))"
    case .revenuecat: "\(name(.authorization)), or \(name(.revenueCat))"
    }
  }
}

/// Why an event is not believed: the `reason` of an `unverified_transaction`.
public enum EventRejection: String, Error, CaseIterable, Sendable {
  case notConfigured = "not_configured"
  case noSignature = "no_signature"
  case badSignature = "bad_signature"
  case tooOld = "too_old"
  case wrongMode = "wrong_mode"

  /// Returns the error that the request ends with.
  /// - Parameter format: the event's format, whose headers the message names.
  func error(of format: PaymentFormat?) -> CreditError {
    var advice = ""
    if self == .noSignature, let format { advice = "; it is looked for in \(format.headers)" }
    if self == .notConfigured, let format {
      advice =
        "; they need {\"format\":\"\(format.rawValue)\",\"secretFile\":NAME}, "
        + "and a file of that name"
    }
    return CreditError(.unverifiedTransaction, message + advice, [.reason(rawValue)])
  }

  private var message: String {
    switch self {
    case .notConfigured: "the policy's events do not name this format and the file of its secrets"
    case .noSignature: "the headers have no signature of the event that can be checked"
    case .badSignature: "the signature of the event does not match"
    case .tooOld: "the event was signed too long ago, or by a clock that is ahead"
    case .wrongMode: "the event is from the provider's test mode, but the policy takes live ones"
    }
  }
}

/// One delivery of a webhook, raw, as it arrived: the signature covers the body's bytes.
public struct EventDelivery: Sendable {
  public let body: [UInt8]
  /// By their names in lower case.
  private var headers: [(name: String, value: String)] = []

  /// The most bytes of a body, and of all headers.
  public static let byteLimit = 1 << 20

  public init(body: [UInt8]) { self.body = body }

  /// Adds a header. One without a value is as if it were not there, as is other text.
  public mutating func addHeader(_ line: String) {
    if let header = Self.header(line), !header.value.isEmpty { headers.append(header) }
  }

  /// Reads a header as HTTP has it: `Name: value`; nil for other text.
  public static func header(_ line: String) -> (name: String, value: String)? {
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let name = line[..<colon].lowercased()
    let isToken = name.utf8.allSatisfy { 0x21...0x7e ~= $0 }
    guard isToken, !name.isEmpty else { return nil }
    let value = EventSignature.trimmed(line.utf8[line.utf8.index(after: colon)...])
    return (name, String(decoding: value, as: UTF8.self))
  }

  /// The id that Standard Webhooks give a message, which its signature covers.
  var messageID: Name? {
    Name(valid: values(.id).first)
  }

  /// The values of a header, under either of its names.
  func values(_ header: EventHeader) -> [String] {
    let name = header.rawValue.lowercased()
    // Svix has older names of the same headers.
    let older = name.hasPrefix("webhook-") ? "svix" + name.dropFirst(7) : name
    return headers.filter { $0.name == name || $0.name == older }.map(\.value)
  }
}
