import CreditModel
import Foundation
import Testing

@testable import CreditJSON
@testable import TestSupport

/// Responses as providers sent them, where a collection of them stands beside the package.
@Suite struct UsageManifestTests {
  static let folder = Checkout.data.appending(path: "usage")
  static let manifest = folder.appending(path: "manifest.json")

  struct Manifest: Decodable {
    struct Entry: Decodable {
      struct Counts: Decodable {
        let uncachedInput: Int64
        let cacheRead: Int64
        let cacheWrite: Int64
        let output: Int64
      }

      let file: String
      /// With a remark in parentheses or words where the body does not name one.
      let model: String
      let expected: Counts?
    }

    let entries: [Entry]
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: manifest.path)))
  func readsWhatProvidersSent() throws {
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: Self.manifest))
    #expect(!manifest.entries.isEmpty)
    for entry in manifest.entries {
      let data = try Data(contentsOf: Self.folder.appending(path: entry.file))
      let expected = entry.expected.map {
        [$0.uncachedInput, $0.output, $0.cacheRead, $0.cacheWrite]
      }
      let response = try data.withUnsafeBytes { try ResponseReader.read($0) }
      #expect(usageCounts(response.usage) == expected, "\(entry.file): \(response.usage)")
      if entry.model != "-", !entry.model.contains(" ") {
        #expect(response.responseModel == entry.model, "\(entry.file)")
      }
      // A whole object is a request, too.
      guard let document = try? JSONDocument(Array(data)) else { continue }
      let request = document.withRoot { $0.isObject ? UsageReading(of: $0).usage : nil }
      if let request { #expect(request == response.usage, "\(entry.file)") }
    }
  }
}
