import Foundation
import Testing

@testable import TestSupport

/// The scripts of `examples`, on the built tools.
@Suite(.slow) struct ExampleTests {
  static let folder = Checkout.root.appending(path: "examples")

  /// The profiles: the folders that have an acceptance script.
  static let profiles: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().filter {
      FileManager.default.fileExists(atPath: "\(folder.path)/\($0)/acceptance.sh")
    }
  }()

  @Test func profilesAreThere() {
    #expect(
      Self.profiles == [
        "bokphoto", "checkkicks", "echo", "followers", "murmur", "seals", "teams",
      ])
  }

  @Test func aCriterionThatDoesNotHoldIsReported() async throws {
    let script = try Script()
    let scenario = script.root.appending(path: "home/scenario.sh")
    try Data(
      """
      . "${0%/*}/harness.bash"
      store <<<'{"version": 1, "starterCredits": 5}'
      criterion 'This holds'
      run credit-balance --account me --quiet
      expect '"balance":5'
      criterion 'This does not'
      expect '"balance":6'
      criterion 'Nor does this # TODO later'
      echo '{"account":"me"}' | refuse 10 credit-charge
      CREDIT_NOW=2028-01-01 later 1w
      done_testing

      """.utf8
    ).write(to: scenario)
    try FileManager.default.copyItem(
      at: Self.folder.appending(path: "qa/harness.bash"),
      to: script.root.appending(path: "home/harness.bash"))
    let outcome = try await script.run([scenario.path])
    #expect(outcome.status == 1)
    #expect(
      outcome.output.hasPrefix(
        """
        ok 1 - This holds
        not ok 2 - This does not
        #   scenario.sh:7: credit-balance --account me --quiet
        #     expected: "balance":6
        #     got:      "balance":5,
        """))
    #expect(
      outcome.output.contains(
        """

        not ok 3 - Nor does this \\# TODO later
        #   scenario.sh:9: credit-charge
        #     expected: exit status 10
        #     got:      65

        """))
    #expect(outcome.output.hasSuffix("\n1..3\n"))
    #expect(try script.leftovers() == [])
  }

  @Test func quickstart() async throws {
    let script = try Script()
    let outcome = try await script.run(["examples/quickstart.sh"])
    #expect(outcome.status == 0 && !outcome.timedOut, "\(outcome.output)")
    #expect(outcome.output.hasSuffix("The store was temporary and is removed.\n"))
    #expect(try script.leftovers() == [])
  }

  /// A copy of the examples without the sources takes the tools of the path.
  @Test func quickstartInACopy() async throws {
    let copy = "cp -r examples \"$HOME/my copy\"; unset QUICKSTART_BIN; "
    for (path, words) in [
      ("$PATH", "The store was temporary and is removed."),
      ("/usr/bin:/bin", "nor a credit-store on PATH"),
    ] {
      let outcome = try await Script.run([
        "-c", copy + "PATH=\(path) \"$HOME/my copy/quickstart.sh\"",
      ])
      #expect(outcome.output.contains(words), "\(outcome.output)")
    }
  }

  @Test(arguments: ["examples/quickstart.sh", "make install BIN=$HOME"])
  func withoutSwiftIsExplained(_ command: String) async throws {
    let outcome = try await Script.run([
      "-c",
      """
      mkdir "$HOME/bin" && ln -s "$(command -v dirname)" "$(command -v make)" "$HOME/bin"
      unset QUICKSTART_BIN; PATH=$HOME/bin; \(command)
      """,
    ])
    #expect(outcome.status != 0)
    for word in ["Swift 6.2", "INSTALL.md", "BIN=DIR"] { #expect(outcome.output.contains(word)) }
    #expect(!outcome.output.contains("127"))
  }

  /// A tool that is built already is installed without a compiler.
  @Test(arguments: ["make build", "make build BIN=.build/release"])
  func aBuiltToolNeedsNoSwift(_ command: String) async throws {
    let outcome = try await Script.run([
      "-c",
      """
      mkdir -p "$HOME/bin" "$HOME/copy/.build/release" && cp Makefile "$HOME/copy"
      ln -s "$(command -v make)" "$HOME/bin"; cd "$HOME/copy"
      printf '#!/bin/sh\n' >.build/release/credit; chmod +x .build/release/credit
      PATH=$HOME/bin; \(command)
      """,
    ])
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  @Test func aMissingServerIsNamed() async throws {
    let test = Self.folder.appending(path: "http/test.sh").path
    let outcome = try await Script.run(["-c", "'\(test)' no-such-server"])
    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        # no-such-server
        not ok 1 - no-such-server is on PATH or in /usr/sbin
        1..1

        """)
  }

  @Test func aReportGoesIntoAFolderOfTheCaller() async throws {
    let make = Self.folder.appending(path: "report/make.sh").path
    let outcome = try await Script.run([
      "-c", "cd \"$HOME\" && '\(make)' shop && grep -c '</html>' shop/*.html",
    ])
    #expect(outcome.status == 0 && !outcome.timedOut)
    #expect(
      outcome.output
        == "shop/products.html:1\nshop/report.html:1\nshop/statement.html:1\n")
  }

  /// Work that is charged after its month is in the month of its charge, in all files alike.
  @Test func aMonthReportCountsByTheRecord() async throws {
    let job = Self.folder.appending(path: "cron/jobs/month-report").path
    let outcome = try await Script.run([
      "-c",
      """
      cd "$HOME"; export CREDIT_STORE=$HOME/store
      echo '{"clock": "simulated", "models": [{"id": "u", "creditsPerUnit": 1}]}' >policy.json
      credit-store init --policy policy.json --get created
      credit-charge --now 2026-02-02 --account a --key k --model u --units 7 --arrears \\
        --used-at 2026-01-31 --get newBalance
      for now in 2026-02-28 2026-03-01; do CREDIT_NOW=$now '\(job)'; done
      grep -c usage reports/*.csv reports/*.journal
      """,
    ])
    #expect(
      outcome.output.hasPrefix(
        """
        true
        993
        credit-report: no line is of 2026-01; the lines are of 2026-02
        reports/2026-01-revenue.csv:0
        reports/2026-01.csv:0
        reports/2026-02-revenue.csv:0
        reports/2026-02.csv:1
        reports/2026-01.journal:0
        reports/2026-02.journal:2
        """), "\(outcome.output)")
  }

  /// A bonus of the month ends with it, by the zone's clock. Closed accounts and members get none.
  @Test func anAllowanceEndsWithTheMonth() async throws {
    let job = Self.folder.appending(path: "cron/jobs/allowance").path
    let outcome = try await Script.run([
      "-c",
      """
      cd "$HOME"; export CREDIT_STORE=$HOME/store
      echo '{"clock": "simulated", "starterCredits": 1}' >policy.json
      credit-store init --policy policy.json --get created
      for name in open shut; do credit-account --now 2027-12-01 --account $name --get balance; done
      credit-account --account shut --closed true --now 2027-12-01 --quiet --get closed
      credit-account --account ana --parent open --now 2027-12-01 --get balance
      for now in 2027-12-01T06:00:00Z 2028-01-01T06:00:00Z 2028-01-01T07:00:00Z; do
        CREDIT_NOW=$now ZONE=Asia/Tokyo '\(job)'
      done
      credit-history --account open --type bonus --get expiresAt
      """,
    ])
    #expect(outcome.status == 0)
    #expect(
      outcome.output == """
        true
        1
        1
        true
        0
        31
        31
        2028-01-31T15:00:00.000Z
        2027-12-31T15:00:00.000Z

        """)
  }

  /// A program's message after its `credit-charge` has ended.
  @Test(.enabled(if: MachineCommands.expects("node")))
  func anEndedCoprocessIsReported() async throws {
    let script = try Script()
    try script.add(command: "credit-charge", "exit 3")
    let outcome = try await script.run(["-c", "examples/coprocess/charge.mjs"])
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("credit-charge has ended: repeat the same key"))
    #expect(!outcome.output.contains("EPIPE"))
  }

  /// If a web server and the script's needs are installed.
  @Test(
    .enabled(if: ["curl", "jq"].allSatisfy(MachineCommands.expects)),
    arguments: ["busybox", "lighttpd"].filter(MachineCommands.expects))
  func http(_ server: String) async throws {
    let script = try Script()
    let outcome = try await script.run(["examples/http/test.sh", server])
    let report = TestReport(outcome.output)
    #expect(outcome.status == 0 && !outcome.timedOut)
    #expect(report.failures == [])
    #expect(report.plan == report.numbers.count && report.numbers.count > 40)
    #expect(try script.leftovers() == [])
  }

  /// The scripts that report in TAP: the profiles' demands, and scenarios to copy.
  static let reports =
    profiles.map { "\($0)/acceptance.sh" }
    + [
      "quota", "free-plan", "subscription-month", "hostile-names", "rotated-log", "agent-guard",
      "hostile-text",
    ].map { "qa/\($0).sh" }

  @Test(arguments: reports)
  func everyCriterionHolds(_ name: String) async throws {
    let script = try Script()
    let outcome = try await script.run(["examples/\(name)"])
    let report = TestReport(outcome.output)
    #expect(!outcome.timedOut)
    #expect(outcome.status == 0)
    #expect(report.failures == [])
    #expect(report.numbers == Array(1...max(1, report.numbers.count)))
    #expect(report.plan == report.numbers.count)
    #expect(try script.leftovers() == [])
  }
}

extension Script {
  /// Files that a script should not have left in its temporary directory.
  fileprivate func leftovers() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.path)
      .filter { !["commands", "home", "output"].contains($0) }
  }
}

/// A script's report in TAP.
private struct TestReport {
  var plan: Int?
  /// The numbers of all tests, in their order.
  var numbers: [Int] = []
  /// The lines of failed tests, of their diagnostics, and any others outside of TAP.
  var failures: [String] = []

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      if let test = line.wholeMatch(of: /(not )?ok ([0-9]+) - .+/) {
        numbers.append(Int(test.2) ?? 0)
        if test.1 != nil { failures.append(String(line)) }
      } else if let match = line.wholeMatch(of: /1\.\.([0-9]+)/) {
        plan = Int(match.1)
      } else if !line.hasPrefix("# ") || line.hasPrefix("#   ") {
        failures.append(String(line))
      }
    }
  }
}
