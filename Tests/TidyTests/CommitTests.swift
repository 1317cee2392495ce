import Foundation
import Testing

@testable import TestSupport

/// `.ci/commits` on a repository with good and bad messages.
@Suite(.slow, .enabled(if: MachineCommands.expects("git")))
struct CommitTests {
  /// Makes a repository with one commit of each message, and checks those after the first.
  private func check(_ messages: [String], merging: Bool = false) async throws -> Script.Outcome {
    let merge = "git merge -q --no-ff -m 'store: merge' side"
    let text = """
      set -e
      commits=$PWD/.ci/commits
      export GIT_CONFIG_NOSYSTEM=1
      mkdir "$TMPDIR/repository"
      cd "$TMPDIR/repository"
      git init -q
      git config user.name me
      git config user.email me@example.org
      git commit -q --allow-empty -m 'Before the rule'
      base=$(git rev-parse HEAD)
      git branch side
      for message; do git commit -q --allow-empty -m "$message"; done
      \(merging ? "git checkout -q side; git commit -q --allow-empty -m 'store: aside'" : ":")
      \(merging ? "git checkout -q -; \(merge)" : ":")
      "$commits" "$base"
      """
    return try await Script.run(["-c", text, "bash"] + messages)
  }

  @Test func goodMessagesPass() async throws {
    let outcome = try await check([
      "store: report a missing journal when an index exists",
      "credit-run: \(String(repeating: "é", count: 60))",
      "docs: name /usr/local, ./tmp/a and https://example.org/home/a",
    ])
    #expect(outcome.output == "3 commits: every message keeps the rule\n")
    #expect(outcome.status == 0)
  }

  /// No file of the package may have it.
  private static let place = "/" + "root/credits"

  @Test(arguments: [
    ("Report a missing journal", "the subject is not \"area: effect\""),
    ("Store: report it", "the subject is not \"area: effect\""),
    ("store:report it", "the subject is not \"area: effect\""),
    ("store: " + String(repeating: "a", count: 66), "the subject has 73 characters"),
    ("store: report it\n\nSeen in \(place).", "the message names a path of one machine"),
  ])
  func badMessagesFail(_ message: String, _ fault: String) async throws {
    let outcome = try await check(["store: report it", message])
    #expect(outcome.output.contains(": \(fault)"))
    #expect(outcome.output.split(separator: "\n").count == 1)
    #expect(outcome.status == 1)
  }

  @Test func mergesFail() async throws {
    let outcome = try await check(["store: report it"], merging: true)
    #expect(outcome.output.contains("a merge commit; rebase instead"))
    #expect(outcome.status == 1)
  }

  /// A clone without its history cannot tell, and says so.
  @Test func aShallowClonePasses() async throws {
    let outcome = try await Script.run([
      "-c",
      """
      set -e
      commits=$PWD/.ci/commits
      git init -q "$TMPDIR/whole"
      cd "$TMPDIR/whole"
      for n in 1 2; do
        git -c user.name=me -c user.email=me@example.org commit -q --allow-empty -m "Bad $n"
      done
      git clone -q --depth 1 "file://$TMPDIR/whole" "$TMPDIR/shallow"
      cd "$TMPDIR/shallow"
      "$commits"
      """,
    ])
    #expect(outcome.output == "no commits checked: the clone is shallow (git fetch --unshallow)\n")
    #expect(outcome.status == 0)
  }
}
