import CreditModel
import Testing

@testable import CreditCommand

/// What must hold for the table of every tool, built or not.
@Suite struct ToolTableTests {
  static let tools: [Tool] = [
    .price, .authorize, .charge, .topup, .balance, .account, .history, .refund, .store, .report,
  ]

  private static func options(of tool: Tool) -> [Option] {
    tool.options + tool.subcommands.flatMap(\.options) + CommonOptions.all
  }

  @Test func suiteIsOfDeclaredTools() {
    let declared = Self.tools.map(\.name)
    #expect(Set(declared).count == declared.count)
    #expect(Set(Self.tools.map(\.kind)) == Set(ToolKind.allCases))
    #expect(ToolSuite.all.allSatisfy { declared.contains($0.name) })
  }

  @Test(arguments: tools.map(\.name))
  func namesAreUniqueKebabCase(_ name: String) throws {
    let tool = try #require(Self.tools.first { $0.name == name })
    #expect(tool.name.hasPrefix("credit-"))
    for subcommand in [nil] + tool.subcommands.map(Optional.some) {
      let names = (tool.options + (subcommand?.options ?? []) + CommonOptions.all).map(\.name)
      #expect(Set(names).count == names.count)
    }
    for option in Self.options(of: tool) {
      #expect(isKebabCase(option.name), "\(option.name)")
    }
    #expect(tool.subcommands.allSatisfy { isKebabCase($0.name) })
  }

  @Test(arguments: tools.map(\.name))
  func textsFit(_ name: String) throws {
    let tool = try #require(Self.tools.first { $0.name == name })
    let summaries =
      Self.options(of: tool).map(\.summary) + tool.subcommands.map(\.summary) + [tool.summary]
    for summary in summaries {
      #expect(!summary.isEmpty && !summary.hasSuffix(".") && summary.utf8.count <= 64, "\(summary)")
      #expect(summary.first?.isUppercase == true, "\(summary)")
    }
    for option in Self.options(of: tool) {
      #expect(option.kind.takesValue == !option.placeholder.isEmpty, "\(option.name)")
      #expect(option.detail.isEmpty || option.detail.hasSuffix("."), "\(option.name)")
    }
  }

  @Test func exclusionsHoldBothWays() {
    let exclusion = Exclusion("all", ["account", "receipt"])
    #expect(exclusion.excluded(by: "all") == ["account", "receipt"])
    #expect(exclusion.excluded(by: "account") == ["all"])
    #expect(exclusion.excluded(by: "page").isEmpty)
  }

  @Test func listsTheErrorsThatCanHappen() {
    let history = Tool.history.manual()
    #expect(history.lists(.authorizationNotCharged) && !history.lists(.invalidUsage))
    #expect(Tool.report.manual().lists(.limitExceeded))
    #expect(!Tool.store.manual().lists(.invalidUsage) && Tool.price.manual().lists(.invalidUsage))
  }

  @Test(arguments: tools.map(\.name))
  func namesInRulesAreFlags(_ name: String) throws {
    let tool = try #require(Self.tools.first { $0.name == name })
    let own = tool.options.map(\.name)
    for exclusion in tool.exclusions {
      #expect(own.contains(exclusion.flag) && exclusion.others.allSatisfy(own.contains))
    }
    for part in tool.wholeRequests.flatMap(\.parts).map(\.flags) {
      #expect(part.allSatisfy(own.contains), "\(part)")
    }
    for subcommand in tool.subcommands {
      let own = subcommand.options.map(\.name)
      for exclusion in subcommand.exclusions {
        #expect(own.contains(exclusion.flag) && exclusion.others.allSatisfy(own.contains))
      }
    }
  }

  @Test func flagsAreRequestMembers() {
    let usage = [
      "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "units",
    ]
    let members: [String: [String]] = [
      "credit-price": ["model"] + usage,
      "credit-authorize": ["account", "authorization", "hold", "expiresIn"],
      "credit-charge": ["authorization", "account", "key", "model"] + usage,
      "credit-topup": [
        "account", "transaction", "key", "product", "quantity", "credits", "type", "status",
        "reason", "price", "currency", "expiresAt", "expiresIn", "below", "appAccountToken",
      ],
      "credit-account": ["account", "plan", "exempt"],
      "credit-balance": ["account"],
      "credit-history": ["account"],
      "credit-refund": ["transaction", "authorization", "reason"],
    ]
    for tool in Self.tools {
      #expect(tool.options.compactMap(\.member) == members[tool.name] ?? [], "\(tool.name)")
      for option in tool.options {
        guard let member = option.member else { continue }
        #expect(member == camelCase(option.name))
        #expect((option.group == .usage) == usage.contains(member))
      }
    }
  }

  @Test func everyToolTakesTheCommonFlags() {
    let names = CommonOptions.all.map(\.name)
    let expected = [
      "store", "now", "pass", "get", "pretty", "json", "quiet", "lock-timeout", "no-sync", "help",
      "version",
    ]
    #expect(names == expected)
  }

  @Test func everyErrorHasAPlaceInTheTable() {
    let rows = CreditError.Code.byExitStatus
    #expect(rows.flatMap(\.codes).count == CreditError.Code.allCases.count)
    #expect(rows.map(\.exitStatus) == Array(Set(rows.map(\.exitStatus))).sorted())
  }

  private func isKebabCase(_ name: String) -> Bool {
    !name.hasPrefix("-") && !name.hasSuffix("-") && !name.contains("--")
      && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == 0x2d }
  }

  private func camelCase(_ name: String) -> String {
    let words = name.split(separator: "-")
    return words.enumerated().map { index, word in
      index == 0 ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
  }
}
