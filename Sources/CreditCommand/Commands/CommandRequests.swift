internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  /// Serves the request of the flags, or those on standard input.
  /// - Parameters:
  ///   - past: the past participle of the service's action, for messages.
  ///   - refusal: the error if there is no request at all; nil if that is fine.
  func serve(
    _ service: RequestService, past: String = "done", refusal: CreditError? = nil
  ) throws(UsageError) {
    let isWholeRequest = settings.arguments.isWholeRequest
    let hasOneRequest = isWholeRequest || settings.readsResponse || settings.readsEvent
    let loop = RequestLoop(
      service, RequestInput(host.streams, words: service.words),
      output(as: hasOneRequest ? .answer : .lines, passesRequests: true),
      flags: settings.arguments)
    defer {
      loop.finish()
      // To free it would take a twentieth of a short run. A connection is closed that way, so that
      // the server knows of it.
      if settings.store?.isURL != true { host.keep(loop) }
    }
    if isWholeRequest {
      try? loop.serveFlags()
      return
    }
    try requireInput()
    if settings.readsResponse {
      try? loop.serveResponse { () throws(CreditError) in try responseCost() }
      return
    }
    if settings.readsEvent {
      try? loop.serveEvent()
      return
    }
    guard let count = try? loop.serveInput(), count == 0 else { return }
    try noteMissingRequests(past)
    if let refusal { printError(refusal) }
  }

  /// Returns the cost, in dollars, in the response's headers; nil if they give none. The headers
  /// are complete once the response is.
  private func responseCost() throws(CreditError) -> ExactDecimal? {
    guard let path = settings.arguments[.responseHeaders] else { return nil }
    let headers = try InputFile.read(path, host.system)
    guard headers.count <= ResponseHeaders.byteLimit else {
      throw CreditError(
        .invalidRequest, "the headers in \(quoted(path)) are too long", [.path(path)])
    }
    return try ResponseHeaders.cost(in: headers)
  }

  /// Says what flags lack that carry a part of a request, of which standard input has had none.
  /// From `/dev/null` that is a mistake: a cron job that forgot a flag must not succeed for ever.
  private func noteMissingRequests(_ past: String) throws(UsageError) {
    guard let missing = settings.arguments.missingFlags else { return }
    let need = settings.arguments.missingNeed.map { $0 + "; " }
    let note =
      (need ?? "no requests on standard input, and these flags make none without \(missing): ")
      + "nothing was \(past)"
    if host.streams.inputKind == .nullDevice { throw UsageError(note) }
    errors.remark(note)
  }

  /// Refuses to read requests if there is nothing to read them from. On a terminal a tool would
  /// hang, waiting for requests that nobody knows it wants.
  func requireInput() throws(UsageError) {
    guard let missingInput else { return }
    if let missing = settings.arguments.missingFlags {
      throw UsageError("\(missingInput), and these flags make no request without \(missing)")
    }
    throw UsageError("\(missingInput), and there is nothing else to read")
  }

  /// The reason why nothing can be read from standard input; nil if something can.
  var missingInput: String? {
    switch host.streams.inputKind {
    case .terminal: "standard input is a terminal"
    case .closed: "standard input is closed"
    case .nullDevice, .data: nil
    }
  }
}
