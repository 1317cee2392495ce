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
    // Only tools with requests are said to have some.
    let status =
      name == .run
      ? "COMMAND's; " : tool.requestMembers == nil ? "0 for success, " : "0 if every request "
    #expect(help.contains("\nExamples:\n") && help.contains("\nExit status: \(status)"))
    #expect(!help.contains("`"))
  }

  @Test func versionIsOneLine() {
    #expect(Tool.charge.versionLine == "credit-charge \(ToolSuite.version)")
  }
}
