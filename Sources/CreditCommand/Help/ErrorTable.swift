package import CreditModel

extension CreditError.Code {
  /// The codes by exit status, in rising order: the one table of errors.
  package static var byExitStatus: [(exitStatus: Int32, codes: [CreditError.Code])] {
    var rows: [(exitStatus: Int32, codes: [CreditError.Code])] = []
    for code in allCases.sorted(by: { $0.exitStatus < $1.exitStatus }) {
      if rows.last?.exitStatus == code.exitStatus {
        rows[rows.count - 1].codes.append(code)
      } else {
        rows.append((code.exitStatus, [code]))
      }
    }
    return rows
  }

  /// Whether every tool that opens a store can give it.
  var isOfStore: Bool {
    switch self {
    case .invalidUsage, .unpricedUsage, .failedResponse, .cutResponse, .amountOutOfRange,
      .incompleteBill, .cannotCreate:
      false
    default: exitStatus >= UsageError.exitStatus
    }
  }

  /// Whether a tool that opens no store can give it.
  var isOfInput: Bool {
    self == .invalidJSON || self == .invalidRequest || self == .ioError
  }
}

extension Tool {
  /// Whether it can fail with the code.
  package func lists(_ code: CreditError.Code) -> Bool {
    manual().errors.contains(code) || (takesStore ? code.isOfStore : code.isOfInput)
  }
}
