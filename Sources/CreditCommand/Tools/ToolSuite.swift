/// What the tools share.
package enum ToolSuite {
  /// The command that runs any of them.
  package static let command = "credit"

  /// The summary of that command, in a line without a full stop.
  package static let summary = "Run any of the credit tools"

  /// The version of every tool.
  package static let version = "1.0.0"

  /// The tools, in the order in which a reader meets them.
  package static var all: [Tool] { ToolName.allCases.map(\.tool) }
}

/// The tools there are, by the names of their commands after `credit-`: the one list of them,
/// beside `tools` in Package.swift, which names the executables.
package enum ToolName: String, CaseIterable, Sendable {
  case price, authorize, charge, topup, balance, account, history, refund, transfer, run, store
  case doctor
  case usage, report, reconcile

  /// The command's name: `credit-charge`.
  package var command: String { "credit-\(rawValue)" }

  package var tool: Tool {
    switch self {
    case .price: .price
    case .authorize: .authorize
    case .charge: .charge
    case .topup: .topup
    case .balance: .balance
    case .account: .account
    case .history: .history
    case .refund: .refund
    case .transfer: .transfer
    case .run: .run
    case .store: .store
    case .doctor: .doctor
    case .usage: .usage
    case .report: .report
    case .reconcile: .reconcile
    }
  }
}
