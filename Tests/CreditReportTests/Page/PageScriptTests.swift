import Foundation
import Testing

@testable import CreditReport

@Suite struct PageScriptTests {
  private static let openssl: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { $0 + "/openssl" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// A browser runs the page's own script by this sum, and no other.
  @Test(.enabled(if: openssl != nil, "openssl is not installed"))
  func pageHasTheScriptsSum() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.openssl))
    process.arguments = ["dgst", "-sha256", "-binary"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(PageScript.text.utf8))
    try input.fileHandleForWriting.close()
    let sum = try output.fileHandleForReading.readToEnd()
    process.waitUntilExit()
    #expect(sum?.base64EncodedString() == PageScript.sha256)
  }
}
