import CreditJSON
import CreditModel

extension BatchPart {
  /// Requests as parts of a batch: plain ones that follow one another as runs.
  static func gathering(_ requests: [GateRequest]) -> [BatchPart] {
    var parts: [BatchPart] = []
    var action: PlainRequest.Action?
    var gathered = PlainRequests(.charge)
    func endRun() {
      if let run = gathered.takeRun() { parts.append(.run(run)) }
    }
    for request in requests {
      let plain = request.plainText
      if plain == nil || plain?.action != action {
        endRun()
        action = plain?.action
        gathered = PlainRequests(action ?? .charge)
      }
      // What is looked at behind a request is not its own.
      let text = (plain?.text ?? "") + String(repeating: " ", count: 64)
      let length = Array(text.utf8).withUnsafeBytes { gathered.take(from: $0, line: 1) }
      if length == 0 {
        endRun()
        parts.append(.request(request))
      }
    }
    endRun()
    return parts
  }
}

extension GateRequest {
  /// The text of a plain request; nil for one that says more than such a text can.
  fileprivate var plainText: (action: PlainRequest.Action, text: String)? {
    switch self {
    case .charge(let request): request.plainText.map { (.charge, $0) }
    case .authorize(let request):
      if request.hold != nil || request.tags != nil || request.time != nil {
        nil
      } else {
        (
          .authorize,
          text { writer in
            writer.member("account", request.account.text)
            if let id = request.id { writer.member("authorization", id.text) }
          }
        )
      }
    case .topUp(let request): request.plainText.map { (.topUp, $0) }
    default: nil
    }
  }
}

extension ChargeRequest {
  fileprivate var plainText: String? {
    guard reportedUSD == nil, remarks == nil, usedAt == nil, tags == nil, !isArrears, !amends,
      time == nil, case .counts(.tokens(let usage)) = usage, usage.isCommon
    else { return nil }
    return text { writer in
      switch reference {
      case .key(let key, let account):
        if account != .defaultAccount { writer.member("account", account.text) }
        writer.member("key", key.text)
      case .authorization(let id, let account):
        if let account { writer.member("account", account.text) }
        writer.member("authorization", id.text)
      }
      writer.member("model", model.text)
      writer.key("usage")
      writer.usage(.tokens(usage))
    }
  }
}

extension TopUpRequest {
  fileprivate var plainText: String? {
    guard kind == .purchase, status == .completed, reason == nil, price == nil, currency == nil,
      expiry == nil, tags == nil, below == nil, !isStrict, time == nil
    else { return nil }
    return text { writer in
      writer.member("account", account.text)
      switch reference {
      case .transaction(let id): writer.member("transaction", id.text)
      case .key(let key): writer.member("key", key.text)
      }
      switch grant {
      case .product(let product, 1): writer.member("product", product.text)
      case .product(let product, let quantity):
        writer.member("product", product.text)
        writer.member("quantity", quantity)
      case .credits(let credits): writer.member("credits", credits)
      }
    }
  }
}

private func text(_ members: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  writer.beginObject()
  members(&writer)
  writer.endObject()
  return writer.string
}

/// The answer to one request, as a gate gave it.
enum GivenAnswer {
  case answer(GateAnswer)
  /// A line of text.
  case line(String)

  /// Whether the gate answered by text.
  var isLine: Bool { if case .line = self { true } else { false } }

  /// The answers to the requests of parts, one by one.
  static func all(_ answers: [PartAnswer]) -> [GivenAnswer] {
    answers.flatMap { answer in
      switch answer {
      case .answer(let answer): [GivenAnswer.answer(answer)]
      case .run(let answers): all(answers)
      }
    }
  }

  private static func all(_ answers: PlainAnswers) -> [GivenAnswer] {
    var given: [GivenAnswer] = []
    var place = 0
    func addLines(to end: Int) {
      let lines = answers.text[place..<end].split(separator: UInt8(ascii: "\n"))
      given += lines.map { .line(String(decoding: $0, as: UTF8.self)) }
      place = end
    }
    for other in answers.others {
      addLines(to: other.place)
      given.append(.answer(other.answer))
    }
    addLines(to: answers.text.count)
    return given
  }
}

extension GateResult {
  /// The line that a tool prints of it.
  var line: String {
    var writer = JSONWriter()
    writer.result(self)
    return writer.string
  }
}
