import Foundation
import Testing

@testable import CreditCommand

/// What is made from the table: help, manual pages, completions.
@Suite struct GeneratedTextTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func committedFilesAreFresh() {
    for file in ToolSuite.generatedFiles {
      let committed = try? String(contentsOf: Self.root.appending(path: file.path), encoding: .utf8)
      let isFresh = committed == file.text
      #expect(isFresh, "\(file.path) is stale: run `swift run credit-manual`")
    }
  }

  @Test func noOtherFilesAreCommitted() throws {
    // The page of the store's files is written by hand.
    let known = Set(ToolSuite.generatedFiles.map(\.path) + ["man/credit-store.5"])
    for directory in ["man", "completions"] {
      let path = Self.root.appending(path: directory).path(percentEncoded: false)
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        #expect(known.contains("\(directory)/\(name)"), "nothing says where this file comes from")
      }
    }
  }

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

  @Test(arguments: ToolTableTests.tools.map(\.name))
  func pageSaysAll(_ name: String) throws {
    let tool = try #require(ToolTableTests.tools.first { $0.name == name })
    let page = ManualPage.page(of: tool)
    for option in tool.options + tool.subcommands.flatMap(\.options) {
      #expect(page.contains(ManualPage.item(option)))
    }
    #expect(page.utf8.allSatisfy { $0 < 0x80 })
    #expect(!page.contains(" \n"))
  }

  @Test func versionIsOneLine() {
    #expect(Tool.charge.versionLine == "credit-charge \(ToolSuite.version)")
  }
}
