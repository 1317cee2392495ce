internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// Turns a payment provider's verified event into a request to the gate.
struct PaymentEvents {
  private let store: any Store
  private let command: Command

  init(_ store: any Store, _ command: Command) {
    self.store = store
    self.command = command
  }

  /// The request that the event makes.
  /// - Parameter body: all of standard input, raw.
  /// - Throws: `unverified_transaction`, `invalid_request`, `invalid_json`, `invalid_policy`,
  ///   `unknown_product`.
  func request(_ body: [UInt8], under policy: Policy) throws(CreditError) -> PaymentRequest {
    let name = command.settings.arguments[.event]
    guard let place = policy.payments.firstIndex(where: { $0.format.rawValue == name }) else {
      throw EventRejection.notConfigured.error
    }
    let source = policy.payments[place]
    let delivery = try delivery(body)
    try verify(delivery, source, at: "events[\(place)].secretFile", under: policy)
    var request = try EventReader.read(delivery, of: source)
    request.time = command.settings.now
    try check(request)
    return request
  }

  private func verify(
    _ delivery: EventDelivery, _ source: PaymentSource, at place: String, under policy: Policy
  ) throws(CreditError) {
    let signature = try signature(of: source, at: place)
    let simulated = policy.clockIsSimulated ? command.settings.now : nil
    do throws(EventRejection) {
      try signature.verify(delivery, at: simulated ?? store.systemTime)
    } catch {
      throw error.error
    }
  }

  /// Checks that each source's secrets can be read.
  /// - Throws: `invalid_policy`, `permission_denied`, `io_error`.
  func checkSecrets(under policy: Policy) throws(CreditError) {
    for (place, source) in policy.payments.enumerated() {
      _ = try signature(of: source, at: "events[\(place)].secretFile")
    }
  }

  private func signature(
    of source: PaymentSource, at place: String
  ) throws(CreditError) -> EventSignature {
    let secrets = try EventSecrets.load(
      source.secretFile, in: try folder(at: place), at: place, command.host.system)
    guard let signature = EventSignature(secrets, of: source) else {
      throw CreditError(
        .invalidPolicy, "\(place) names a file that has no secret in it that can be used",
        [.path(place)])
    }
    return signature
  }

  /// Returns the folder of the secrets. It is the policy's folder, or for a policy on a server the
  /// one that this machine's `CREDIT_EVENT_SECRETS` names.
  private func folder(at place: String) throws(CreditError) -> String {
    guard command.settings.store?.isURL == true else { return store.policyFolder }
    let folder = try? command.host.environment("CREDIT_EVENT_SECRETS")
    if let folder, !folder.isEmpty { return folder }
    throw CreditError(
      .invalidPolicy,
      "\(place) is in the folder $CREDIT_EVENT_SECRETS of this machine, which is not set",
      [.path(place)])
  }

  private func delivery(_ body: [UInt8]) throws(CreditError) -> EventDelivery {
    guard body.count <= EventDelivery.byteLimit else {
      throw CreditError(
        .invalidRequest, "an event has at most \(EventDelivery.byteLimit >> 20) MiB")
    }
    var delivery = EventDelivery(body: body)
    for line in command.settings.arguments[.header] { _ = delivery.addHeader(line) }
    guard let file = command.settings.arguments[.headers] else { return delivery }
    let text = try InputFile.read(file, command.host.system)
    guard text.count <= EventDelivery.byteLimit else {
      throw CreditError(.invalidRequest, "the headers are longer than 1 MiB")
    }
    for line in text.split(separator: UInt8(ascii: "\n")) {
      // A request line or an empty one is not a header.
      _ = delivery.addHeader(String(decoding: line, as: UTF8.self))
    }
    return delivery
  }

  /// An account on the command line is the operator's word.
  private func check(_ request: PaymentRequest) throws(CreditError) {
    guard let account = try command.settings.account() else { return }
    for change in request.changes where change.account ?? account != account {
      let error = CreditError(
        .invalidRequest, "the event is for another account than \(quoted(account.text))")
      throw error.about(PaymentSubject(request.event, change))
    }
  }
}

extension GateResult {
  /// A sentence on an event without effect; nil if the result is enough.
  var remark: String? {
    guard case .event(let event, let reason) = self else { return nil }
    let id = "event \(plainOrQuoted(event.id.text))"
    switch reason {
    case PaymentRequest.notOurs:
      return id + " is of another sale: it names no account and no product of this store"
    case PaymentRequest.notMoved:
      return id + " moves nothing: credits and plans stay with the account that has them"
    default: return nil
    }
  }
}

extension Command {
  /// Checks an event, and prints its subject, without writing to the store.
  func verifyEvent(_ store: any Store) throws(UsageError) {
    try requireInput()
    let output = output(as: .answer)
    do throws(CreditError) {
      let body = try RequestInput.readResponse(host.streams)
      let request = try PaymentEvents(store, self).request(body, under: try store.policy())
      output.print { $0.verified(request) }
    } catch {
      output.print(error)
    }
    output.flush()
  }
}

/// The requests on standard input, taken in as they arrive.
final class RequestInput {
  private let streams: any Streams
  private let words: RequestWord?
  private var stream: JSONStream

  /// A request on standard input. It is valid until the input is used again.
  enum Arrival: ~Copyable {
    case value(JSONValue, line: Int)
    /// The request that a word is short for.
    case word(JSONDocument, line: Int)
    /// Text that is not a request.
    case malformed(CreditError)
  }

  /// - Parameter words: the words for requests, if any.
  init(_ streams: any Streams, words: RequestWord?) {
    self.streams = streams
    self.words = words
    stream = JSONStream(words: words?.prefix)
  }

  /// Whether more has arrived than was taken in.
  var hasMore: Bool { streams.hasInput }

  /// Reads the bytes that have arrived, waiting for at least one.
  /// - Returns: true if the input has ended.
  func fill() throws(CreditError) -> Bool {
    var gathered = 0
    repeat {
      let count = try stream.withFreeSpace { space throws(CreditError) in
        try streams.readInput(into: space)
      }
      if count == 0 {
        stream.finish()
        return true
      }
      gathered += count
    } while gathered < JSONStream.readUnit && hasMore
    return false
  }

  /// Returns the next request that was taken in; nil if no whole one is left.
  func next() -> Arrival? {
    switch stream.next() {
    case .needsMore, .end: return nil
    case .value(let value, let line, offset: _): return .value(value, line: line)
    case .malformed(let error): return .malformed(CreditError(malformed: error))
    case .word(let word, let line):
      guard let words else { return nil }
      do {
        return .word(try JSONDocument(words.request(word)), line: line)
      } catch {
        return .malformed(CreditError(malformed: error))
      }
    }
  }

  /// The first member name that appears twice in one object of the last value.
  var duplicateName: String? { stream.duplicateName }

  /// Reads all of standard input as one provider's response. If it is too long, the result has more
  /// than `ResponseReader.byteLimit` bytes.
  static func readResponse(_ streams: any Streams) throws(CreditError) -> [UInt8] {
    var input = JSONBuffer()
    while input.unread.count <= ResponseReader.byteLimit {
      let count = try input.withFreeSpace(minimum: JSONStream.readUnit) {
        space throws(CreditError) in try streams.readInput(into: space)
      }
      if count == 0 { break }
    }
    return [UInt8](input.unread)
  }
}
