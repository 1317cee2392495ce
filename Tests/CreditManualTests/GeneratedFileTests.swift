import CreditCommand
import Foundation
import Testing

@testable import CreditManual
@testable import TestSupport

/// Files made from the table of tools: manual pages, completions.
@Suite(.slow) struct GeneratedFileTests {
  @Test func committedFilesAreFresh() {
    for file in GeneratedFile.all {
      let committed = try? String(
        contentsOf: Checkout.root.appending(path: file.path), encoding: .utf8)
      let isFresh = committed == file.text
      #expect(isFresh, "\(file.path) is stale: run `swift run credit-manual`")
    }
  }

  @Test func noOtherFilesAreCommitted() throws {
    // The pages of the store's files and of payments and the tutorial are written by hand.
    let known = Set(
      GeneratedFile.all.map(\.path)
        + [
          "man/credit-grants.7", "man/credit-payments.7", "man/credit-store.5",
          "man/credit-tutorial.7",
        ])
    for directory in ["man", "completions"] {
      let path = Checkout.root.appending(path: directory).path(percentEncoded: false)
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        #expect(known.contains("\(directory)/\(name)"), "nothing says where this file comes from")
      }
    }
  }

  @Test(arguments: ToolSuite.all.map(\.name))
  func pageIsComplete(_ name: String) throws {
    let tool = try #require(ToolSuite.all.first { $0.name == name })
    let page = ManualPage.page(of: tool)
    for flag in tool.allFlags where flag.group != .common {
      #expect(page.contains(ManualPage.item(flag)))
    }
    // Common flags are explained once, in credit-tools(7), and named here.
    for flag in tool.commonFlags {
      #expect(page.contains(".Fl \\-\(MdocWriter.escaped(flag.name))"))
      #expect(ManualPage.overview.contains(ManualPage.item(flag)))
    }
    #expect(page.utf8.allSatisfy { $0 < 0x80 })
    #expect(!page.contains(" \n"))
  }
}
