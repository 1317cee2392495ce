import Foundation
import Testing

@testable import TestSupport

/// The commands for contributors: targets of the `Makefile`, which `make help` lists.
@Suite(.slow, .enabled(if: MachineCommands.expects("make")))
struct MakeTests {
  /// The words of `.PHONY`.
  private static func targets() throws -> [String] {
    let file = Checkout.root.appending(path: "Makefile")
    let text = try String(contentsOf: file, encoding: .utf8).replacing("\\\n", with: " ")
    let line = text.split(separator: "\n").first { $0.hasPrefix(".PHONY:") }
    return line?.split(separator: " ").dropFirst().map(String.init) ?? []
  }

  private static func make(_ arguments: String) async throws -> Script.Outcome {
    return try await Script.run(["-c", "make --no-print-directory \(arguments)"])
  }

  @Test func everyTargetHasALineOfHelp() async throws {
    let targets = try Self.targets()
    #expect(targets.count > 20)
    let help = try await Self.make("help")
    #expect(help.status == 0)
    let lines = help.output.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.map { String($0[0]) }.sorted() == targets.sorted())
    #expect(lines.allSatisfy { $0.count > 1 })
  }

  /// The files that a target runs exist.
  @Test func everyTargetCanBeMade() async throws {
    let outcome = try await Self.make("--dry-run \(try Self.targets().joined(separator: " "))")
    #expect(outcome.status == 0, "\(outcome.output)")
    let commands = outcome.output.split { " \n".contains($0) }
      .filter { $0.hasPrefix("Tests/") || $0.hasPrefix(".ci/") }
    #expect(commands.count > 10)
    for command in commands where !command.contains("*") {
      let path = Checkout.root.appending(path: command).path
      #expect(FileManager.default.fileExists(atPath: path), "\(command)")
    }
  }

  /// Plain `make` builds the files that `make install` installs.
  @Test func theFirstTargetBuilds() async throws {
    let outcome = try await Self.make("--dry-run")
    #expect(outcome.output == (try await Self.make("--dry-run build")).output)
    #expect(outcome.output.contains("swift build --configuration release --product credit"))
  }
}
