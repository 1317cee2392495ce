import CreditModel
import Foundation
import Testing

@testable import CreditJSON
@testable import TestSupport

/// Responses as providers sent them, if a collection is beside the package.
@Suite struct UsageManifestTests {
  static let folder = Checkout.data.appending(path: "usage")
  static let manifest = folder.appending(path: "manifest.json")

  struct Manifest: Decodable {
    struct Response: Decodable {
      struct Counts: Decodable {
        let uncachedInput: Int64
        let cacheRead: Int64
        let cacheWrite: Int64
        let output: Int64
      }

      let file: String
      /// With a remark in parentheses, or words if the body does not name one.
      let model: String
      let expected: Counts?
      /// Further counts of results, if there are more than these.
      let counts: [String: Int64]?
    }

    let entries: [Response]
  }

  /// Embeddings with only a total are identified by their response; the manifest refuses them.
  private static let readByTotal = "odd/voyage-total-only.json"

  /// Returns the counts above 0 by name, with calls only if the manifest counts them; nil if they
  /// can't be read.
  private func counts(of usage: ReportedUsage, besides: [String: Int64]?) -> [String: Int64]? {
    guard case .counts(.tokens(let tokens)) = usage else { return nil }
    var counts: [String: Int64] = [:]
    for count in UsageCount.allCases where tokens[count] != 0 {
      if count.row.kind == .calls, besides?[count.row.member.description] == nil { continue }
      counts[count.row.member.description] = tokens[count]
    }
    return counts
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: manifest.path)))
  func readsProvidersResponses() throws {
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: Self.manifest))
    #expect(!manifest.entries.isEmpty)
    for entry in manifest.entries {
      let data = try Data(contentsOf: Self.folder.appending(path: entry.file))
      let expected =
        entry.counts
        ?? entry.expected.map {
          [
            "inputTokens": $0.uncachedInput, "outputTokens": $0.output,
            "cacheReadTokens": $0.cacheRead, "cacheWriteTokens": $0.cacheWrite,
          ]
        }
      let response = try [UInt8](data).withBytes { try ResponseReader.read($0) }
      let isComplete = response.outcomeText == "complete"
      let usage = isComplete ? counts(of: response.usage, besides: entry.counts) : nil
      if entry.file.hasSuffix(Self.readByTotal) {
        #expect(usage == ["inputTokens": 43])
      } else {
        #expect(usage == expected?.filter { $0.value != 0 }, "\(entry.file): \(response)")
      }
      if entry.model != "-", !entry.model.contains(" ") {
        #expect(response.responseModel == entry.model, "\(entry.file)")
      }
      // A whole object is a request, too.
      guard let document = try? JSONDocument(Array(data)) else { continue }
      let request = document.withRoot { $0.isObject ? UsageReading.of($0).usage : nil }
      if let request { #expect(request == response.usage, "\(entry.file)") }
    }
  }
}
