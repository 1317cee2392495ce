import CreditJSON
import CreditModel
import CreditPayments

/// A payment provider's delivery, as text: the format, a header a line, an empty line, the body.
///
/// Only a provider can sign, so that a body is read with any signature.
struct FuzzEvent {
  private let format: PaymentFormat
  private let headers: [String]
  private let body: [UInt8]

  init?(_ input: Bytes) {
    let bytes = [UInt8](input)
    let newline = UInt8(ascii: "\n")
    let end = bytes.indices.first { bytes[$0] == newline && $0 > 0 && bytes[$0 - 1] == newline }
    let head = bytes[..<(end ?? bytes.count)].split(separator: newline)
      .map { String(decoding: $0, as: UTF8.self) }
    guard let format = head.first.flatMap({ PaymentFormat(rawValue: $0) }) else { return nil }
    self.format = format
    headers = Array(head.dropFirst())
    body = end.map { Array(bytes[($0 + 1)...]) } ?? []
  }

  func run() {
    checkSignature()
    guard let request = try? EventReader.read(EventDelivery(body: body), of: source) else { return }
    check(request)
    perform(request)
  }

  private static let pack = Name(trusted: "pack")

  private var source: PaymentSource {
    var source = PaymentSource(format: format, secretFile: "secret")
    for name in ["price_1", "plink_1", "pri_1", "prod_1"] { source.products[name] = Self.pack }
    source.body.types = [
      "order.created": .pending, "order.paid": .purchase, "order.refunded": .refund,
    ]
    source.body.amountFrom = ["data.total_amount"]
    source.body.refundedFrom = ["data.refunded_amount"]
    source.body.currencyFrom = ["data.currency"]
    return source
  }

  // MARK: The signature

  /// The time and the secret of the corpus' signatures.
  private static let now = Timestamp(milliseconds: 1_763_892_000_000)
  private static let secrets = Array("secret\nwhsec_c2VjcmV0\n".utf8)

  /// A signature that holds for a body holds for no other one.
  private func checkSignature() {
    guard isSigned(body) else { return }
    if format == .revenuecat { return }
    precondition(!isSigned(body + [0x20]), "the signature of another body")
    precondition(body.isEmpty || !isSigned(body.dropLast()), "the signature of a longer body")
  }

  private func isSigned(_ body: [UInt8]) -> Bool {
    var delivery = EventDelivery(body: body)
    for header in headers { delivery.addHeader(header) }
    guard let signature = EventSignature(Self.secrets, of: source) else { return false }
    do throws(EventRejection) {
      try signature.verify(delivery, at: Self.now)
      return true
    } catch {
      return false
    }
  }

  // MARK: The request

  /// Values for the books are valid, for any event.
  private func check(_ request: PaymentRequest) {
    for change in request.changes {
      for id in change.payments {
        precondition(
          Name.problem(with: id.text, limit: Name.idLimit) == nil, "an id that is none")
      }
      precondition(change.quantity >= 1 && change.paid ?? 0 >= 0, "an amount below 0")
      if let account = change.account?.text {
        precondition(
          Name.problem(with: account, limit: Name.accountLimit) == nil, "a name that is none")
      }
    }
  }

  /// A repeated event has no effect.
  private func perform(_ request: PaymentRequest) {
    let products = [Product(id: Self.pack, name: "pack", credits: 100)]
    guard let prices = try? PriceCatalog(models: [], products: products) else { return }
    var number = 0
    let gate = DryRunGate(
      { EmptyLedger() }, systemTime: { Self.now },
      makeID: { _ in
        number += 1
        return Name(trusted: "id-\(number)")
      })
    let batch = Batch(under: Policy(prices: prices))
    for _ in 1...2 { batch.add(.payment(request)) }
    try? gate.perform(batch)
    guard batch.answers.count == 2, case .success = batch.answers[0] else { return }
    guard case .success(let second) = batch.answers[1] else {
      preconditionFailure("an event is refused when it comes again")
    }
    precondition(!Self.changes(second), "an event that comes again changes something")
  }

  private static func changes(_ result: GateResult) -> Bool {
    switch result {
    case .topUp(_, let isReplay), .transactionRefund(_, _, let isReplay): !isReplay
    case .plan(let result, _): changes(result)
    case .event: false
    case .payments(_, let results): results.contains(where: changes)
    default: true
    }
  }
}
