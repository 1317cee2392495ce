/// Plain requests that follow one another.
package final class PlainRun: Sendable {
  package let requests: ContiguousArray<PlainRequest>
  /// Whether results are to be added to the requests.
  package let isPassed: Bool
  private let text: ContiguousArray<UInt8>

  /// - Parameter text: what the parts of the requests are parts of.
  package init(
    _ requests: ContiguousArray<PlainRequest>, isPassed: Bool, _ text: ContiguousArray<UInt8>
  ) {
    self.requests = requests
    self.isPassed = isPassed
    self.text = text
  }

  /// Calls `body` with the text; it is valid only until `body` returns.
  @inline(__always)
  package func withText<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let text = self.text
    return try text.span.withUnsafeBytes { (bytes) throws(Failure) in try body(bytes) }
  }

  /// The requests from one on, as a run of their own.
  package func rest(from number: Int) -> PlainRun {
    PlainRun(ContiguousArray(requests[number...]), isPassed: isPassed, text)
  }

  /// The text of one of the requests, where its result is to be added to it.
  package func passedText(_ number: Int) -> [UInt8]? {
    isPassed ? withText { [UInt8]($0[requests[number].whole]) } : nil
  }

  /// One of the requests, as any gate takes it.
  package func request(_ number: Int) -> GateRequest {
    let request = requests[number]
    let reference = name(request.reference)
    switch request.action {
    case .charge:
      return charge(request, .key(reference, account: name(of: request)))
    case .settle:
      let account = request.account.count > 0 ? name(request.account) : nil
      return charge(request, .authorization(reference, account: account))
    case .authorize:
      return .authorize(
        AuthorizeRequest(
          account: name(of: request), id: request.reference.count > 0 ? reference : nil))
    case .topUp, .topUpByKey:
      return .topUp(
        TopUpRequest(
          account: name(of: request),
          reference: request.action == .topUp ? .transaction(reference) : .key(reference),
          grant: request.subject.count > 0
            ? .product(name(request.subject), quantity: 1) : .credits(request.credits)))
    }
  }

  private func charge(_ request: PlainRequest, _ reference: ChargeRequest.Reference) -> GateRequest
  {
    .charge(
      ChargeRequest(
        reference: reference, model: name(request.subject),
        usage: .counts(.tokens(request.counts.usage))))
  }

  private func name(of request: PlainRequest) -> Name {
    request.account.count > 0 ? name(request.account) : .defaultAccount
  }

  private func name(_ part: PlainRequest.Part) -> Name {
    withText { Name(trusted: String(decoding: $0[part], as: UTF8.self)) }
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes of a part of a run's text.
  @inline(__always)
  package subscript(part: PlainRequest.Part) -> UnsafeRawBufferPointer {
    let start = Int(part.start)
    return UnsafeRawBufferPointer(rebasing: self[start..<start &+ Int(part.count)])
  }
}
