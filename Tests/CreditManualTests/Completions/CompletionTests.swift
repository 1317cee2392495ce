import Foundation
import Testing

@testable import TestSupport

/// The completions in real shells: a line is begun, Tab is typed, and the tool gets the name whole.
@Suite(.slow) struct CompletionTests {
  /// The text before Tab, and the resulting arguments.
  struct Line: Sendable {
    let typed: String
    let arguments: [String]

    init(_ typed: String, _ arguments: String...) {
      self.typed = typed
      self.arguments = arguments
    }
  }

  /// Names that a shell would take apart, expand or run if they were not quoted.
  static let accounts = [
    "ana b", #"ana"q"#, "ana'q", "ana$(touch run)", "ana`touch run`", "ana@ex.org", "ana:1",
    #"ana\b"#, "ana;x", "ana=2", "ana!3", "an*a", "#h", "~t", "étienne", "漢字", "🙂",
  ]

  /// Lines for every shell.
  static let lines = [
    Line(#"credit-balance --account ana\ "#, "ana b"),
    Line(#"credit-balance --account "ana "#, "ana b"),
    Line("credit-balance --account 'ana ", "ana b"),
    Line("credit-balance --account ana@", "ana@ex.org"),
    Line(#"credit-balance --account "ana@"#, "ana@ex.org"),
    Line("credit balance --account ana:", "ana:1"),
    Line(#"credit-balance --account ana\$"#, "ana$(touch run)"),
    Line(#"credit-balance --account "ana\$"#, "ana$(touch run)"),
    Line("credit-balance --account 'ana$", "ana$(touch run)"),
    Line("credit-balance --account 'ana`", "ana`touch run`"),
    Line(#"credit-balance --account ana\""#, #"ana"q"#),
    Line(#"credit-balance --account 'ana""#, #"ana"q"#),
    Line(#"credit-balance --account "ana'"#, "ana'q"),
    Line(#"credit-balance --account ana\'"#, "ana'q"),
    Line(#"credit-balance --account ana\\"#, #"ana\b"#),
    Line(#"credit-balance --account "ana\\"#, #"ana\b"#),
    Line(#"credit-balance --account ana\;"#, "ana;x"),
    Line("credit-balance --account ana=", "ana=2"),
    Line("credit-balance --account 'ana!", "ana!3"),
    Line("credit-balance --account \\#", "#h"),
    Line(#"credit-balance --account \~"#, "~t"),
    Line("credit-balance --account ét", "étienne"),
    Line("credit-transfer --from x --to 漢", "漢字"),
    Line("credit-store export --without 🙂", "🙂"),
    Line("credit-charge --model chat", "chat model"),
    Line("credit-topup --product com", "com.example.pack"),
    Line("credit-account --plan p", "pro"),
    Line("credit-report --by mod", "model"),
    Line("credit-report --time-zone Europe/Berl", "Europe/Berlin"),
    Line("credit-charge --get newB", "newBalance"),
    Line("credit-charge --authorization op", "open 1"),
    Line("credit-authorize --void o", "open 1"),
    Line("credit-refund --authorization ch", "charged 1"),
    Line("credit-balance --store $OTHER --account o", "other"),
    Line("credit-balance --store ~/'other store' --account o", "other"),
    Line(#"credit charge --store="$OTHER" --account o"#, "other"),
  ]

  /// Lines for shells that print their parsed words when run.
  static let typedLines =
    lines + [
      Line("credit-balance --account=ana@", "--account=ana@ex.org"),
      Line("credit-balance --account=ana\\ ", "--account=ana b"),
      Line(#"credit-balance --account=ana\""#, #"--account=ana"q"#),
      Line("X=1 credit-balance --account 漢", "漢字"),
      Line("true; credit-balance --account 漢", "漢字"),
      // The tool runs only if the file is there.
      Line("credit-charge --account me < star", "me"),
      Line("credit charge --account me 2>/dev/null <star", "me"),
      Line("credit-charge <start --account ana@", "ana@ex.org"),
      // A folder is no store on a server.
      Line("credit-store push --to oth", "oth"),
      // fish takes the star for a pattern.
      Line(#"credit-balance --account an\*"#, "an*a"),
    ]

  /// Keys that begin a line which would run something, and then give it up.
  private static let abandoned = [
    "credit-balance --store $(touch run) --account \t", "credit-balance --account $(touch run)\t",
    "credit-balance --store `touch run` --account \t", "credit-balance --account `touch run`\t",
  ].map { $0 + "\u{15}\n" }

  @Test(
    .enabled(if: MachineCommands.expects("script")),
    arguments: ["", "/usr/share/bash-completion/bash_completion"].filter {
      $0.isEmpty || MachineCommands.expectsFile($0)
    })
  func bash(_ library: String) async throws {
    let loads = library.isEmpty ? "" : ". \(library)\n"
    let start = loads + ". completions/credit-tools.bash\n"
    try await expectLines(of: "bash --noprofile --rcfile \"$HOME/start\" -i", start: start)
  }

  @Test(.enabled(if: MachineCommands.expects("script") && MachineCommands.expects("zsh")))
  func zsh() async throws {
    let start = "fpath=($PWD/completions $fpath); autoload -Uz compinit; compinit -u -D\n"
    try await expectLines(of: "ZDOTDIR=\"$HOME/zsh\" zsh -i", start: start)
  }

  /// Has a shell complete and run the lines at a terminal.
  private func expectLines(of shell: String, start: String) async throws {
    let script = try Script()
    let home = script.root.appending(path: "home/me")
    let tools = Set(Self.typedLines.map { $0.typed.split(separator: " ")[0] })
      .filter { $0.hasPrefix("credit") }.sorted().joined(separator: " ")
    try write(
      start + """
        PS1= PS2=
        for tool in \(tools); do
          eval "$tool() { printf '%s\\n' \\"\\${@: -1}\\" >>'\(home.path)/arguments'; }"
        done
        cd "$HOME"
        """, to: home.appending(path: "start"))
    let keys = Self.typedLines.map { $0.typed + "\t\n" }
    try write((keys + Self.abandoned).joined() + "exit\n", to: home.appending(path: "keys"))
    try write(
      Self.store + """
        mkdir "$HOME/zsh"; ln -s ../start "$HOME/zsh/.zshrc"
        TERM=dumb script -qec '\(shell)' /dev/null <"$HOME/keys"
        """, to: home.appending(path: "session"))
    let outcome = try await script.run([home.appending(path: "session").path])
    #expect(!outcome.timedOut)
    let arguments = try String(contentsOf: home.appending(path: "arguments"), encoding: .utf8)
    let got = arguments.components(separatedBy: "\n")
    for (number, line) in Self.typedLines.enumerated() {
      #expect(number < got.count && got[number] == line.arguments.last, "\(line.typed)")
    }
    #expect(got.count == Self.typedLines.count + 1)
    #expect(!FileManager.default.fileExists(atPath: home.appending(path: "run").path))
  }

  @Test(.enabled(if: MachineCommands.expects("fish")))
  func fish() async throws {
    let script = try Script()
    let home = script.root.appending(path: "home/me")
    let lines = Self.lines.map { $0.typed + "\n" }.joined()
    try write(lines, to: home.appending(path: "lines"))
    try write(
      """
      source completions/credit-tools.fish
      cd $HOME
      while read -l line
        set -l found (complete -C --escape "$line" | string match -r '^[^\\t]+')
        eval "printf '%s\\n' $found"
      end <lines
      """, to: home.appending(path: "complete"))
    try write(
      Self.store + "fish --no-config \"$HOME/complete\"\n", to: home.appending(path: "session"))
    let outcome = try await script.run([home.appending(path: "session").path])
    let got = outcome.output.components(separatedBy: "\n")
    for (number, line) in Self.lines.enumerated() {
      #expect(number < got.count && got[number] == line.arguments.last, "\(line.typed)")
    }
    #expect(got.count == Self.lines.count + 1)
    #expect(!FileManager.default.fileExists(atPath: home.appending(path: "run").path))
  }

  private func write(_ text: String, to file: URL) throws { try Data(text.utf8).write(to: file) }

  /// Makes the stores: the usual one, and another.
  private static var store: String {
    let names = accounts.map { "'" + $0.replacing("'", with: "'\\''") + "'" }
    return """
      export CREDIT_STORE=$HOME/store OTHER="$HOME/other store"
      echo '{"models": [{"id": "chat model", "free": true}], "products": [{"id": "com.example.pack",
        "credits": 5}], "plans": [{"id": "pro", "quota": 5, "period": "month"}]}' >"$HOME/policy"
      {
        credit-store init --policy "$HOME/policy"; credit-store init --store "$OTHER"
        credit-account --account other --store "$OTHER"
        # more than are offered at once, before all others in their order
        printf '{"account":"%s"}\\n' $(seq 300) | credit-account
        for name in \(names.joined(separator: " ")); do
          credit-account --quiet --account "$name"
        done
        for id in 'open 1' 'charged 1' 'void 1'; do
          credit-authorize --account 'ana b' --authorization "$id"
        done
        credit-charge --authorization 'charged 1' --model 'chat model' --flat
        credit-authorize --void 'void 1'
      } >/dev/null

      """
  }
}
