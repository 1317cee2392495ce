import CreditJSON
import CreditModel
import Foundation
import Testing

@testable import CreditCommand

/// Rules for the declaration of every tool.
@Suite struct ToolTableTests {
  @Test func theSuiteIsTheExecutables() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
    let folders = try FileManager.default.contentsOfDirectory(atPath: sources.path)
    let executables = folders.filter { $0.hasPrefix("credit-") && $0 != "credit-manual" }
    #expect(ToolSuite.all.map(\.name).sorted() == executables.sorted())
    for name in ToolName.allCases { #expect(name.tool.name == name.command) }
  }

  @Test(arguments: ToolName.allCases)
  func namesAreUniqueKebabCase(_ name: ToolName) {
    let tool = name.tool
    for flags in tool.subcommands.map({ $0.flags + tool.flags }) + [tool.flags] {
      #expect(Set(flags.map(\.name)).count == flags.count)
    }
    #expect(tool.allFlags.allSatisfy { isKebabCase($0.name) })
    #expect(tool.subcommands.allSatisfy { isKebabCase($0.name) })
  }

  @Test(arguments: ToolName.allCases)
  func textsFit(_ name: ToolName) {
    let tool = name.tool
    let flags = tool.flags + tool.subcommands.flatMap(\.flags)
    let summaries = flags.map(\.summary) + tool.subcommands.map(\.summary) + [tool.summary]
    for summary in summaries {
      #expect(!summary.isEmpty && !summary.hasSuffix(".") && summary.utf8.count <= 64, "\(summary)")
      #expect(summary.first?.isUppercase == true, "\(summary)")
    }
    for flag in flags {
      #expect(flag.kind.takesValue == !flag.placeholder.isEmpty, "\(flag.name)")
    }
  }

  @Test func exclusionsHoldBothWays() {
    let exclusion = Exclusion(.all, [.account, .receipt])
    #expect(exclusion.excluded(by: .all).map(\.name) == ["account", "receipt"])
    #expect(exclusion.excluded(by: .account).map(\.name) == ["all"])
    #expect(exclusion.excluded(by: .page).isEmpty)
  }

  @Test func listsTheErrorsThatCanHappen() {
    let history = Tool.history.errors
    #expect(history.contains(.authorizationNotCharged) && !history.contains(.invalidUsage))
    let report = Tool.report.errors
    #expect(report.contains(.limitExceeded) && !report.contains(.storeLocked))
    #expect(!Tool.store.errors.contains(.invalidUsage))
    #expect(Tool.price.errors.contains(.invalidUsage))
  }

  @Test(arguments: ToolName.allCases)
  func rulesAreOfTheToolsFlags(_ name: ToolName) {
    let tool = name.tool
    func isTaken(_ flag: Flag) -> Bool { tool.allFlags.contains { $0.name == flag.name } }
    for exclusion in tool.exclusions + tool.subcommands.flatMap(\.exclusions) {
      #expect(isTaken(exclusion.flag) && exclusion.others.allSatisfy(isTaken))
    }
    for requirement in tool.requirements {
      #expect(isTaken(requirement.flag) && requirement.others.allSatisfy(isTaken))
    }
    for form in tool.wholeRequests + tool.storeless {
      #expect(form.parts.allSatisfy { $0.flags.allSatisfy(isTaken) })
    }
  }

  @Test func flagsAreRequestMembers() {
    let usage =
      UsageCount.allCases.map(\.row.member.description) + ["units"]
      + UsageCondition.allCases.map(\.member.description)
    let members: [String: [String]] = [
      "credit-price": ["model", "usedAt"] + usage,
      "credit-authorize": ["account", "authorization", "hold", "expiresIn", "model", "tags"],
      "credit-charge": ["authorization", "account", "key", "model", "usedAt", "tags"] + usage,
      "credit-topup": [
        "account", "transaction", "key", "product", "quantity", "credits", "type", "status",
        "reason", "price", "currency", "priority", "startsAt", "startsIn", "expiresAt", "expiresIn",
        "models", "below", "to", "appAccountToken", "tags",
      ],
      "credit-account": [
        "account", "plan", "exempt", "closed", "parent", "group", "limits", "limitUntil",
      ],
      "credit-balance": ["account", "model"],
      "credit-history": ["account"],
      "credit-refund": [
        "transaction", "authorization", "account", "key", "credits", "price", "unused",
        "reason",
      ],
      "credit-run": ["account", "model", "hold", "expiresIn", "tags"],
      "credit-transfer": ["from", "to", "credits", "key", "reason"],
    ]
    for tool in ToolSuite.all {
      let flags = tool.flags.filter { $0.group == .request || $0.usagePart != nil }
      let names = flags.map { flag in
        let member = flag.usagePart?.member.description
        #expect((flag.group == .usage) == usage.contains(member ?? ""))
        // A flag that may be repeated is one of several.
        let name = camelCase(flag.name) + (flag.isRepeatable ? "s" : "")
        #expect(member ?? name == name)
        return name
      }
      #expect(names == members[tool.name] ?? [], "\(tool.name)")
      let declared = (tool.requestMembers ?? []).map(\.name)
      #expect(
        tool.name == "credit-run" || declared.starts(with: names.filter { !usage.contains($0) }))
    }
  }

  @Test func toolsTakeTheCommonFlagsThatMakeSense() {
    let all = [
      "store", "now", "pass", "get", "pretty", "json", "format", "quiet", "lock-timeout", "no-sync",
      "help", "version",
    ]
    #expect(Flag.common.map(\.name) == all)
    let missing: [String: Set<String>] = [
      "credit-report": [
        "store", "pass", "get", "pretty", "json", "format", "lock-timeout", "no-sync",
      ],
      "credit-reconcile": [
        "store", "pass", "get", "pretty", "json", "format", "lock-timeout", "no-sync",
      ],
      "credit-store": ["pass"],
      "credit-doctor": ["pass", "no-sync"],
      "credit-run": ["pass", "get", "pretty", "json", "format"],
      "credit-usage": ["store", "pass", "format", "no-sync"],
    ]
    for tool in ToolSuite.all {
      #expect(
        tool.commonFlags.map(\.name) == all.filter { missing[tool.name]?.contains($0) != true })
    }
  }

  @Test func everyErrorHasAPlaceInTheTable() {
    let rows = CreditError.Code.byExitStatus(CreditError.Code.allCases)
    #expect(rows.flatMap(\.codes).count == CreditError.Code.allCases.count)
    #expect(rows.map(\.exitStatus) == Array(Set(rows.map(\.exitStatus))).sorted())
  }

  private func isKebabCase(_ name: String) -> Bool {
    !name.hasPrefix("-") && !name.hasSuffix("-") && !name.contains("--")
      && name.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d
      }
  }

  private func camelCase(_ name: String) -> String {
    let words = name.split(separator: "-")
    return words.enumerated().map { index, word in
      index == 0 ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
    }.joined()
  }
}
