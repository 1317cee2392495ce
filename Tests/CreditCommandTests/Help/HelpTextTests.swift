import Testing

@testable import CreditCommand

@Suite struct HelpTextTests {
  @Test(arguments: ToolName.allCases)
  func helpFitsAndIsComplete(_ name: ToolName) {
    let tool = name.tool
    let help = HelpText.text(for: tool)
    for line in help.split(separator: "\n") {
      #expect(line.count < 80 && line.last?.isWhitespace == false, "\(line)")
    }
    for flag in tool.allFlags { #expect(help.contains("--" + flag.name)) }
    #expect(help.hasPrefix("usage: \(tool.name) ") && help.hasSuffix("\n"))
    #expect(help.contains("\nExamples:\n") && help.contains("Exit status: 0"))
    #expect(!help.contains("`"))
  }

  @Test func versionIsOneLine() {
    #expect(Tool.charge.versionLine == "credit-charge \(ToolSuite.version)")
  }
}
