import CreditModel
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

  /// `help.txt` has a part for each tool, and no name that is misspelt.
  @Test func helpIsOfKnownTools() {
    let lines = String(decoding: PackageResources.help_txt, as: UTF8.self).split(separator: "\n")
    func marked(_ mark: String) -> [String] {
      lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(2)) }
    }
    #expect(marked("# ") == ToolName.allCases.map(\.command))
    for code in marked("! ").flatMap({ $0.split(separator: " ") }) {
      #expect(CreditError.Code(rawValue: String(code)) != nil, "\(code)")
    }
    for tool in ToolSuite.all {
      let help = ToolHelp(of: tool)
      #expect(!help.synopsis.isEmpty && help.description.hasSuffix(".") && !help.errors.isEmpty)
      #expect(help.examples.allSatisfy { !$0.text.isEmpty && !$0.command.isEmpty })
    }
  }

  @Test func versionIsOneLine() {
    #expect(Tool.charge.versionLine == "credit-charge \(ToolSuite.version)")
  }
}
