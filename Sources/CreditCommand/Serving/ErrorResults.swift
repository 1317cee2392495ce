internal import CreditJSON
internal import CreditModel

extension CreditError.Code {
  /// The code of a value that is itself an error result; nil otherwise.
  init?(ofResult value: JSONValue) {
    guard let error = value.member("error"), error.kind == .object,
      let code = error.string("code").flatMap(CreditError.Code.init(rawValue:)),
      error.int64("status") == Int64(code.status)
    else { return nil }
    self = code
  }
}
