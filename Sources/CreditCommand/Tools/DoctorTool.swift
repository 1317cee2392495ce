internal import CreditModel

extension Flag {
  static let doctorBelow = NumberFlag(
    "below", "N", group: .selection, "Warn of accounts with less than N credits")

  static let doctorVerify = Switch("verify", group: .selection, "Verify the whole store, too")

  static let checkAge = Switch("check-age", group: .selection, "Look at the age of the prices, too")
}

extension Tool {
  /// `credit-doctor`: checks a store and its surroundings.
  public static let doctor = Tool(
    .doctor,
    summary: "Examine a store and what it needs",
    flags: [
      .doctorBelow, .checkAge, .doctorVerify, .store, .now, .get, .pretty, .json, .resultFormat,
      .quiet, .lockTimeout, .help, .version,
    ],
    run: { command in command.examine() },
    help: { doctorHelp })

  private static var doctorHelp: ToolHelp {
    ToolHelp(
      synopsis: ["[--below N] [--check-age] [--verify]"],
      description: """
        Looks at a store, at the machine that it is on and at its policy, and prints a line for
        each. It changes nothing, and takes the lock for a moment, as a balance does.
        """,
      examples: [
        Example(
          "From cron, every hour; it says something only if something is to be looked at:",
          "credit-doctor --below 0 > /dev/null"),
        Example(
          "For a monitoring system that knows warnings:",
          """
          credit-doctor --lock-timeout 2 --quiet > state.ndjson
          case $? in 0) echo OK ;; 16) echo WARNING ;; *) echo CRITICAL ;; esac
          """,
          output: "OK"),
        Example(
          "How old are the store's prices, and those that come with the tools?",
          "credit-doctor --check-age --get check,message | grep -E 'prices|defaults'"),
        Example(
          "How much room is left?", "credit-doctor --get check,freeBytes | grep space"),
      ],
      errors: [.warnings, .limitExceeded, .amountOutOfRange])
  }
}
