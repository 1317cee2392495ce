import Foundation
import Testing

@testable import CreditReport
@testable import TestSupport

@Suite struct PageScriptTests {
  /// A browser runs the page's own script by this sum, and no other.
  @Test(.enabled(if: MachineCommands.expects("openssl"), "openssl is not installed"))
  func pageHasTheScriptsSum() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(MachineCommands.path(of: "openssl")))
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
