import Testing

@testable import CreditCommand

@Suite struct HelpTextTests {
  @Test(arguments: ToolTableTests.tools.map(\.name))
  func helpFitsAndSaysAll(_ name: String) throws {
    let tool = try #require(ToolTableTests.tools.first { $0.name == name })
    let help = HelpText.text(for: tool)
    for line in help.split(separator: "\n") {
      #expect(line.count < 80 && line.last?.isWhitespace == false, "\(line)")
    }
    for option in tool.options + tool.subcommands.flatMap(\.options) + CommonOptions.all {
      #expect(help.contains("--" + option.name))
    }
    #expect(help.hasPrefix("usage: \(name) ") && help.hasSuffix("\n"))
    #expect(help.contains("\nExamples:\n") && help.contains("Exit status: 0"))
    #expect(!help.contains("`"))
  }

  @Test func versionIsOneLine() {
    #expect(Tool.charge.versionLine == "credit-charge \(ToolSuite.version)")
  }
}
