import CreditModel
import Testing

@testable import CreditCommand
@testable import CreditJSON
@testable import TestSupport

@Suite struct ArgumentParserTests {
  private func parse(_ tool: Tool, _ arguments: String...) throws(UsageError) -> ParsedArguments {
    try ArgumentParser(tool).parse(arguments)
  }

  /// The message of the usage error that the arguments are.
  private func message(_ tool: Tool, _ arguments: String...) -> String? {
    failure { () throws(UsageError) in try ArgumentParser(tool).parse(arguments) }?.message
  }

  @Test func readsBothForms() throws {
    let parsed = try parse(
      .charge, "--account", "alice", "--key=a=b", "--input-tokens", "5", "--pass", "--model=")
    #expect(parsed[.account] == "alice")
    #expect(parsed[.key] == "a=b")
    #expect(parsed[.pass])
    #expect(!parsed[.pretty])
    #expect(parsed[.model] == "")
    #expect(parsed[.authorization] == nil)
    #expect(
      parsed.given.filter { $0.flag.group == .request || $0.flag.group == .usage }.map(\.flag.name)
        == ["account", "key", "input-tokens", "model"])
    let usage = try RequestFlags(parsed).usage
    #expect(usage[.inputTokens] == 5 && usage[.outputTokens] == nil)
  }

  @Test func readsNoArguments() throws {
    let parsed = try parse(.charge)
    #expect(parsed.given.isEmpty && !parsed.isWholeRequest)
  }

  @Test func valueMayBeginWithAHyphen() throws {
    #expect(try parse(.balance, "--all", "--below", "-3")[.balanceBelow] == -3)
    #expect(try parse(.charge, "--account", "-- x")[.account] == "-- x")
    #expect(try parse(.charge, "--account=--key")[.account] == "--key")
  }

  @Test func valueIsLikeNoFlag() {
    #expect(
      message(.charge, "--account", "--key", "k") == "--account needs a value: --account NAME")
    #expect(
      message(.charge, "--account", "--kay", "k")
        == #"--account needs a value, and "--kay" looks like a flag; to give it: --account=--kay"#)
  }

  @Test func namesTheUnknownFlag() {
    #expect(
      message(.charge, "--mdoel", "x") == #"unknown flag "--mdoel"; did you mean "--model"?"#)
    #expect(
      message(.charge, "--acount=x") == #"unknown flag "--acount"; did you mean "--account"?"#)
    #expect(message(.charge, "--xyzzyxyzzy") == #"unknown flag "--xyzzyxyzzy""#)
    #expect(message(.charge, "-x")?.hasPrefix(#"unknown flag "-x""#) == true)
    #expect(message(.charge, "-help")?.hasPrefix(#"unknown flag "-help""#) == true)
    #expect(message(.charge, "--") == nil)
    #expect(message(.charge, "--=x")?.hasPrefix(#"unknown flag "--""#) == true)
  }

  /// The words of other programs, and of slips.
  @Test func knowsWhatOtherWordsMean() {
    func meant(_ tool: Tool, _ flag: String) -> String {
      String(message(tool, flag)?.split(separator: "\"").dropFirst(3).first ?? "")
    }
    #expect(meant(.authorize, "--amount") == "--hold")
    #expect(
      message(.topup, "--amount", "5")?.hasSuffix("by --price, and credits by --credits") == true)
    #expect(meant(.authorize, "--key") == "--authorization")
    #expect(meant(.authorize, "--max-tokens") == "--hold")
    #expect(meant(.charge, "--prompt-tokens") == "--input-tokens")
    #expect(meant(.history, "--from") == "--since")
    #expect(meant(.history, "--usage") == "--type usage")
    #expect(message(.doctor, "--fix")?.hasSuffix("credit-store rebuild") == true)
    #expect(message(.store, "inti") == #"unknown subcommand "inti"; did you mean "init"?"#)
    #expect(message(.store, "backup") == #"unknown subcommand "backup"; did you mean "export"?"#)
    #expect(
      message(.charge, "–account")?.hasSuffix("a flag begins with two hyphens: --account") == true)
  }

  @Test func takesNoAbbreviations() {
    #expect(
      message(.charge, "--accoun", "x") == #"unknown flag "--accoun"; did you mean "--account"?"#)
  }

  @Test func refusesRepeats() throws {
    #expect(message(.charge, "--pass", "--pass") == "--pass is given twice")
    #expect(message(.charge, "--key", "a", "--key=a") == "--key is given twice")
    let parsed = try parse(
      .price, "--import", "f", "--product-credits", "a=1", "--product-credits=b=2")
    #expect(parsed[.productCredits] == ["a=1", "b=2"])
  }

  @Test func checksWhetherAValueBelongs() {
    #expect(message(.charge, "--pass=x") == "--pass takes no value")
    #expect(message(.charge, "--pass=") == "--pass takes no value")
    #expect(message(.charge, "--model") == "--model needs a value: --model MODEL")
  }

  @Test(arguments: [
    "", "-", "+5", "1.5", "1e3", " 5", "5 ", "0x10", "1_000", "--5", "five", "٣", "5\u{0}",
    "9223372036854775808", "-9223372036854775809", "99999999999999999999999999",
  ])
  func refusesOtherNumbers(_ text: String) {
    #expect(message(.authorize, "--hold", text)?.hasPrefix("--hold ") == true)
    #expect(message(.authorize, "--hold=" + text)?.hasPrefix("--hold ") == true)
  }

  @Test(arguments: [
    ("0", 0), ("-1", -1), ("007", 7), ("9223372036854775807", Int64.max),
    ("-9223372036854775808", Int64.min),
  ])
  func readsWholeNumbers(_ text: String, _ number: Int64) throws {
    #expect(try parse(.authorize, "--hold", text)[.hold] == number)
  }

  @Test func refusesNegativeCounts() throws {
    #expect(message(.charge, "--lock-timeout", "-1") != nil)
    #expect(try parse(.charge, "--lock-timeout", "0")[.lockTimeout] == 0)
  }

  @Test(arguments: ["90s", "15m", "1h", "30d", "0s"])
  func readsSpans(_ text: String) throws {
    let span = try parse(.authorize, "--expires-in", text)[.holdExpiresIn]
    #expect(span == TimeSpan(text: text))
  }

  @Test func readsTimes() throws {
    let parsed = try parse(.history, "--since", "2026-02-19T12:00:00+02:00")
    #expect(parsed[.since] == Timestamp(text: "2026-02-19T10:00:00Z"))
    #expect(parsed[.until] == nil)
    #expect(
      message(.history, "--until", "soon")
        == #"--until takes a time such as 2026-02-19T10:00:00Z, 2026-02-19, 2026-02 or today, not "#
        + #""soon""#)
  }

  @Test func readsTruths() throws {
    #expect(try parse(.account, "--exempt", "true").truth(of: Flag.exempt) == true)
    #expect(try parse(.account, "--exempt=false").truth(of: Flag.exempt) == false)
    #expect(
      message(.account, "--exempt", "yes")
        == #"--exempt takes true or false, not "yes"; did you mean "true"?"#)
  }

  @Test func readsAuthorizations() throws {
    let object = #"{"id":"a1","account":"alice","timestamp":"2026-02-19T10:00:00.000Z"}"#
    for text in ["a1", object] {
      let reference = try parse(.charge, "--authorization", text)[.authorization]
      #expect(reference?.id == Name(trusted: "a1"))
    }
    #expect(
      message(.charge, "--authorization", "{")
        == #"--authorization takes an id or an authorization, not "{""#)
    #expect(
      message(.charge, "--authorization", #"{"id":"a","id":"b"}"#)
        == #"--authorization has the member "id" twice"#)
  }

  @Test(arguments: ["", "h", "1", "1 h", "1.5h", "-1h", "1w", "1H", "99999999999999999999d"])
  func refusesOtherSpans(_ text: String) {
    #expect(message(.authorize, "--expires-in", text)?.contains("span of time") == true)
  }

  @Test func refusesOtherWords() {
    #expect(
      message(.topup, "--type", "gift")
        == #"--type takes one of purchase, subscription, bonus, adjustment; not "gift"; "#
        + #"did you mean "bonus"?"#)
    #expect(message(.topup, "--type", "bonus") == nil)
  }

  @Test(arguments: [
    "postgres://me:secret@host/db", "postgres://me:@host", "postgres://h/db?password=secret",
    "postgres://h/db?a=b&password=secret", "postgresql://h/db?sslpassword=secret",
    "postgres://me:se/cret@h/db", "postgres://h/db?passwor%64=secret",
  ])
  func refusesPasswords(_ url: String) {
    let message = message(.balance, "--store", url)
    #expect(message?.contains("password") == true)
    #expect(message?.contains("secret") == false)
  }

  @Test(arguments: ["/var/lib/credit", "postgres://me@host:5432/db", "a:b@c", "x://h/a@c"])
  func takesOtherStores(_ store: String) throws {
    #expect(try parse(.balance, "--store", store)[.store] == store)
  }

  @Test func refusesNoStore() {
    #expect(
      message(.balance, "--store=")
        == "--store takes a path, and is empty here: is a variable not set?")
  }

  @Test func endsFlags() {
    #expect(message(.charge, "--", "--pass") == #"unexpected argument "--pass""#)
    #expect(
      message(.report, "alice")
        == #"unexpected argument "alice"; it reads standard input: credit-report < alice"#)
    #expect(
      message(.charge, "alice")
        == #"unexpected argument "alice"; the account is named by --account"#)
    #expect(message(.charge, "-") == #"unexpected argument "-""#)
    #expect(message(.report, "") == #"unexpected argument ""; is a variable not set?"#)
  }

  @Test func readsSubcommands() throws {
    let parsed = try parse(.store, "--quiet", "init", "--policy", "p.json")
    #expect(parsed.subcommand?.name == "init")
    #expect(parsed[.initialPolicy] == "p.json")
    #expect(parsed[.checkPolicy] == nil)
    #expect(message(.store, "init", "info") == #"unexpected argument "info""#)
    #expect(message(.store, "verfy") == #"unknown subcommand "verfy"; did you mean "verify"?"#)
    #expect(
      message(.store, "info", "--check", "f") == "--check cannot be given to credit-store info")
    #expect(
      message(.store, "--get", "id", "export") == "--get cannot be given to credit-store export")
    #expect(try parse(.store, "--get", "id", "info")[.get] == "id")
    #expect(
      message(.store)
        == "a subcommand is needed: init, info, policy, verify, seal, rebuild, export, import, push"
    )
    #expect(
      message(.store, "policy", "--set", "a", "--check", "b")
        == "--check and --set cannot be given together")
  }

  @Test func helpNeedsNoOtherFlag() throws {
    #expect(try parse(.store, "-h")[.help])
    #expect(try parse(.store, "--version")[.version])
    #expect(try parse(.topup, "--transaction", "a", "--key", "b", "--help")[.help])
    #expect(message(.store, "-h=1") == "--help takes no value")
  }

  @Test func refusesFlagsThatExcludeEachOther() {
    #expect(
      message(.topup, "--key", "a", "--transaction", "b")
        == "--transaction and --key cannot be given together")
    #expect(message(.balance, "--all", "--account", "a") != nil)
    #expect(message(.charge, "--response", "--input-tokens", "1") != nil)
  }

  @Test func refusesFlagsThatGoWithOthers() {
    #expect(message(.balance, "--below", "5") == "--below needs --all or --children")
    #expect(
      message(.balance, "--total", "--account", "a") == "--total needs --all or --children")
    #expect(message(.balance, "--children") == "--children needs --account")
    #expect(message(.history, "--follow") == "--follow needs --account or --all")
    #expect(message(.price, "--product-credits", "a=1") == "--product-credits needs --import")
    #expect(message(.history, "--follow", "--all") == nil)
  }

  /// A flag without a meaning for a tool is refused, even if most tools accept it.
  @Test(arguments: [
    "--store=s", "--pass", "--get=id", "--pretty", "--json",
    "--lock-timeout=5", "--no-sync",
  ])
  func refusesCommonFlagsWithoutMeaning(_ argument: String) {
    let name = argument.prefix { $0 != "=" }
    #expect(message(.report, argument)?.hasPrefix("unknown flag \"\(name)\"") == true)
    if name == "--pass" {
      #expect(message(.store, "info", argument)?.hasPrefix("unknown flag") == true)
    }
  }

  @Test func knowsWhetherAStoreIsOpened() throws {
    #expect(try parse(.charge).opensStore)
    #expect(try parse(.price, "--models").opensStore)
    #expect(try parse(.price, "--catalog", "c").opensStore)
    #expect(try !parse(.price, "--catalog", "c", "--products").opensStore)
    #expect(try !parse(.price, "--import", "f").opensStore)
    #expect(try !parse(.report).opensStore)
  }

  @Test func knowsAWholeRequest() throws {
    #expect(try parse(.charge, "--authorization", "a", "--flat").isWholeRequest)
    #expect(try parse(.charge, "--account", "a", "--key", "k", "--units", "1").isWholeRequest)
    #expect(try !parse(.charge, "--account", "a", "--units", "1").isWholeRequest)
    #expect(try !parse(.charge, "--account", "a", "--key", "k", "--model", "m").isWholeRequest)
    #expect(try parse(.price, "--model", "m", "--output-tokens", "1").isWholeRequest)
    #expect(try !parse(.price, "--output-tokens", "1").isWholeRequest)
    #expect(try parse(.price, "--import", "f").isWholeRequest)
    #expect(try parse(.authorize, "--void", "a").isWholeRequest)
    #expect(try !parse(.authorize, "--hold", "5").isWholeRequest)
    #expect(
      try parse(.topup, "--account", "a", "--key", "k", "--credits", "1").isWholeRequest)
    #expect(try !parse(.topup, "--account", "a", "--credits", "1").isWholeRequest)
    #expect(try parse(.balance, "--all").isWholeRequest)
    #expect(try !parse(.balance).isWholeRequest)
  }

  @Test(arguments: [
    "\u{0}", "--\u{0}", "--account\u{0}", "--\u{FFFD}=\u{202E}", "--=\u{338}", "-\u{301}", "\n",
    "--account\u{338}=x", String(repeating: "-", count: 10_000),
  ])
  func survivesOddText(_ text: String) {
    let message = message(.charge, text)
    #expect(message != nil)
    #expect(message?.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" } == false)
    #expect((message?.utf8.count ?? 0) < 300)
  }

  @Test func keepsTheBytesOfAValue() throws {
    let parsed = try parse(.charge, "--account=\u{338}e\u{301}", "--key", "\u{0}")
    #expect(parsed[.account].map { Array($0.utf8) } == Array("\u{338}e\u{301}".utf8))
    #expect(parsed[.key] == "\u{0}")
  }
}
