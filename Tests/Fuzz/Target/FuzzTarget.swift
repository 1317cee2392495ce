import CreditJSON
import CreditModel

@testable import CreditCommand

/// Readers of untrusted bytes. None of them traps, and each checks rules for any input.
enum FuzzTarget: String, CaseIterable {
  case request, record, response, policy, event

  func run(_ input: Bytes) {
    switch self {
    case .request: Self.request(input)
    case .record: Self.record(input)
    case .response: Self.response(input)
    case .policy: Self.policy(input)
    case .event: FuzzEvent(input)?.run()
    }
  }

  private static let rules = Policy(prices: PriceCatalog())

  private static var context: RequestContext {
    get throws {
      RequestContext(flags: try RequestFlags(ParsedArguments(.charge)), under: rules)
    }
  }

  /// Values on standard input, however it is cut, as requests of every tool.
  private static func request(_ input: Bytes) {
    let cut = input.count > 1 ? Int(input[0]) % input.count : input.count
    let whole = values([input])
    let parts = [input[..<cut], input[cut...]].map(Bytes.init(rebasing:))
    precondition(values(parts) == whole, "a stream means something else where it is cut")
  }

  /// The values of an input that comes in pieces, in compact form.
  private static func values(_ pieces: [Bytes]) -> [String] {
    var stream = JSONStream()
    var texts: [String] = []
    for piece in pieces {
      stream.append(piece)
      take(from: &stream, into: &texts)
    }
    stream.finish()
    take(from: &stream, into: &texts)
    return texts
  }

  private static func take(from stream: inout JSONStream, into texts: inout [String]) {
    while true {
      switch stream.next() {
      case .value(let value, let line, let offset):
        texts.append("\(line) \(offset) \(compact(value))")
        request(value)
      case .word(_, let line): texts.append("\(line)")
      case .malformed(let error): texts.append("\(error.line) \(error.offset) \(error.reason)")
      case .needsMore, .end: return
      }
    }
  }

  private static func compact(_ value: JSONValue) -> String {
    var writer = JSONWriter()
    JSONCompact.write(value, into: &writer)
    let text = writer.string
    guard let document = try? JSONDocument(text) else {
      preconditionFailure("what was written can't be read: \(text)")
    }
    var again = JSONWriter()
    document.withRoot { JSONCompact.write($0, into: &again) }
    precondition(again.string == text, "written twice: \(text)")
    return text
  }

  private static func request(_ value: JSONValue) {
    guard let reader = try? RequestReader(.value(value), try context) else { return }
    _ = try? reader.authorize()
    _ = try? reader.charge()
    _ = try? reader.storeKitForm()
    _ = try? reader.topUp()
    _ = try? reader.refund()
    _ = try? reader.transfer()
    _ = try? reader.accountChange()
  }

  /// A line of a journal: a record that is read is written as the same bytes.
  private static func record(_ input: Bytes) {
    var reader = RecordReader()
    _ = reader.read(input, at: RecordPosition(0))
    guard let record = reader.readAlone(input) else { return }
    var writer = JSONWriter()
    writer.openRecord(record, previous: nil)
    writer.endObject()
    let isSame = writer.withBytes { $0.elementsEqual(input) }
    precondition(isSame, "a record is written as \(writer.string)")
    guard let document = try? JSONDocument([UInt8](input)) else {
      preconditionFailure("a record is no JSON")
    }
    let mismatch = document.withRoot { JSONShape.record.firstMismatch(in: $0) }
    precondition(mismatch == nil, "a record is not as its schema says: \(mismatch ?? "")")
  }

  /// A response, at once and as a command prints it.
  private static func response(_ input: Bytes) {
    let whole = try? ResponseReader.read(input)
    var tap = ResponseTap()
    let cut = input.count / 2
    tap.append(Bytes(rebasing: input[..<cut]))
    tap.append(Bytes(rebasing: input[cut...]))
    _ = tap.finish()
    guard case .counts(let usage)? = whole?.usage else { return }
    switch usage {
    case .units(let units): precondition(units >= 0, "negative units")
    case .tokens(let tokens):
      for count in UsageCount.allCases {
        precondition(tokens[count] >= 0, "a negative count of \(count)")
      }
    }
  }

  /// A policy: its schema allows every policy that the decoder accepts.
  private static func policy(_ input: Bytes) {
    guard let document = try? JSONDocument([UInt8](input)), document.duplicateName == nil else {
      return
    }
    document.withRoot { value in
      guard (try? PolicyDecoder.decode(value)) != nil else { return }
      let mismatch = PolicyShape.policy.firstMismatch(in: value)
      precondition(mismatch == nil, "the schema refuses \(mismatch ?? "")")
    }
  }
}
