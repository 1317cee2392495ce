import CreditCommand
import CreditModel
import Foundation
import Testing

@testable import CreditManual
@testable import TestSupport

/// Files made from the table of tools: manual pages, completions.
@Suite(.slow) struct GeneratedFileTests {
  private let files: [GeneratedFile]
  private let details: PageDetails

  init() throws {
    let root = Checkout.root.path(percentEncoded: false)
    files = try GeneratedFile.all(in: root)
    details = try PageDetails(in: root + "/man/src")
  }

  private func text(_ path: String) throws -> String {
    try #require(files.first { $0.path == path }, "there is no template of \(path)").text
  }

  @Test func committedFilesAreFresh() {
    for file in files {
      let committed = try? String(
        contentsOf: Checkout.root.appending(path: file.path), encoding: .utf8)
      let isFresh = committed == file.text
      #expect(isFresh, "\(file.path) is stale: run `swift run credit-manual`")
    }
  }

  @Test func noOtherFilesAreCommitted() throws {
    // The pages of the store's files and of payments and the tutorial are written by hand.
    let known = Set(
      files.map(\.path)
        + [
          "man/credit-grants.7", "man/credit-payments.7", "man/credit-store.5",
          "man/credit-tutorial.7", "man/src", "completions/src",
        ])
    for directory in ["man", "completions"] {
      let path = Checkout.root.appending(path: directory).path(percentEncoded: false)
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        #expect(known.contains("\(directory)/\(name)"), "nothing says where this file comes from")
      }
    }
  }

  @Test func detailsAreOfKnownThings() {
    var known = Set(CreditError.Code.allCases.map(\.rawValue))
    for code in CreditError.Code.allCases { #expect(details.of(code).hasSuffix(".\n"), "\(code)") }
    for tool in ToolSuite.all {
      for flag in tool.allFlags {
        let text = details.of(flag, in: tool)
        #expect(text.isEmpty || text.hasSuffix(".\n"), "\(flag.name)")
        known.formUnion(["--\(flag.name)", "--\(flag.name) of \(tool.name)"])
      }
      for subcommand in tool.subcommands {
        #expect(details.of(subcommand, of: tool).hasSuffix(".\n"), "\(subcommand.name)")
        known.insert("\(tool.name) \(subcommand.name)")
      }
    }
    for heading in details.texts.keys { #expect(known.contains(heading)) }
  }

  @Test(arguments: ToolSuite.all.map(\.name))
  func pageIsComplete(_ name: String) throws {
    let tool = try #require(ToolSuite.all.first { $0.name == name })
    let page = try text("man/\(name).1")
    for flag in tool.allFlags where flag.group != .common {
      #expect(page.contains(".It \(PageText.item(flag))\n"))
    }
    // Common flags are explained once, in credit-tools(7), and named here.
    let overview = try text("man/credit-tools.7")
    for flag in tool.commonFlags {
      #expect(page.contains(".Fl \\-\(Mdoc.escaped(flag.name))"))
      #expect(overview.contains(".It \(PageText.item(flag))\n"))
    }
    for place in ["summary", "synopsis", "description", "exit-statuses", "examples"] {
      let text = try #require(PageText.text(place, tool, details))
      #expect(page.contains(text + "\n"), "man/src/\(name).1 has no place \(place)")
    }
    // Tools without requests, such as `credit-run`, are not said to have some.
    let hasRequests = SchemaCommand.tools(with: .request).contains(tool.id)
    for sentence in ["\nEach of these flags is a member of the request", "\n0 if every request "] {
      #expect(page.contains(sentence) == hasRequests, "man/src/\(name).1")
    }
    #expect(page.utf8.allSatisfy { $0 < 0x80 })
    #expect(!page.contains(" \n"))
  }

  @Test func placesAreFilled() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("a@b @one@ @two@@part@\n@One@ @@ @one@".utf8).write(to: folder.appending(path: "page"))
    try Data("x @two@ y\n".utf8).write(to: folder.appending(path: "part"))
    let texts = ["one": "1", "two": "2 @one@"]
    let template = Template(folder: folder.path(percentEncoded: false)) { texts[$0] }
    #expect(try template.filled("page") == "a@b 1 2 1x 2 1 y\n@One@ @@ 1")
    #expect(throws: (any Error).self) { try template.filled("missing") }
  }
}
