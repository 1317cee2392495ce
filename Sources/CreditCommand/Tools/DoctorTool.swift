internal import CreditModel

extension Flag {
  static let doctorBelow = NumberFlag(
    "below", "N", group: .selection, "Warn of accounts with less than N credits",
    detail: "Without it the lowest balances are shown, and none of them is a warning.")

  static let doctorVerify = Switch(
    "verify", group: .selection, "Verify the whole store, too",
    detail: "As `credit-store verify` does, which reads all records.")
}

extension Tool {
  /// `credit-doctor`: checks a store and its surroundings.
  package static let doctor = Tool(
    .doctor,
    summary: "Examine a store and what it needs",
    flags: [
      .doctorBelow, .doctorVerify, .store, .now, .get, .pretty, .json, .quiet, .lockTimeout, .help,
      .version,
    ],
    run: { command in command.examine() },
    manual: { doctorManual })

  private static var doctorManual: Manual {
    Manual(
      synopsis: ["[--below N] [--verify]"],
      description: [
        .text(
          """
          Looks at a store, at the machine that it is on and at its policy, and prints a line for
          each. It changes nothing, and takes the lock for a moment, as a balance does.
          """),
        .code(
          """
          CHECK     STATE    WHAT IT SAYS
          lock      ok       free
          store     ok       12,406 records of 31 accounts in 4.1 MB, version 2
          journal   ok       no append was cut short
          files     ok       only owner and group may open them
          space     warning  2.1 GB of 60.0 GB free: the disk is nearly full
          clock     ok       2026-02-19T10:00:00.000Z
          policy    ok       valid
          balances  ok       1 below 0; the lowest: bob -12, alice 3, carol 41
          """),
        .text(
          """
          Off a terminal a line is an object with `check`, `state` (`ok`, `warning` or `error`),
          `message`, the error's `code`, and what the check measured.
          """),
        .terms([
          Term("`lock`", "Who kept the store's lock at the first look (`holder`)."),
          Term(
            "`store`",
            "What `credit-store info` says: `version`, `records`, `accounts`, `bytes`, `lastTime`."
          ),
          Term(
            "`journal`",
            """
            A write that may not have reached the disk, acknowledged records that are missing, and
            what there is of appends that were cut short (`torn`): with a `file` what a write has
            set aside.
            """),
          Term(
            "`files`",
            """
            Files that others than owner and group may open (`exposed`), a folder that they may
            write to, a network file system.
            """),
          Term(
            "`space`",
            """
            `freeBytes` of `totalBytes`. Under 5 %, or less than the store has, is a warning; under
            16 MiB is an error.
            """),
          Term(
            "`clock`",
            """
            A clock more than 5 minutes behind the newest record (`behindSeconds`), or, of a store
            on a server, that far from the server's.
            """),
          Term(
            "`policy`",
            """
            That it is valid, that the secrets of payment events can be read and by their owner
            alone, and prices that are hardly meant (`warnings`).
            """),
          Term(
            "`balances`",
            "The five `lowest`, and how many are `below` 0, or below the number that is asked for."
          ),
          Term("`verify`", "With `--verify`: that every checksum, sum and id is right."),
        ]),
        .text(
          """
          For monitoring the exit status is enough: 0 if all is well, 16 if there are warnings, and
          that of the first error otherwise. Standard error names the checks. If the lock cannot be
          had, or the store is not there, nothing else is looked at. A store on a server has no
          `files` and `space`: ask the server's own monitoring.
          """),
      ],
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
          "How much room is left?", "credit-doctor --get check,freeBytes | grep space"),
      ],
      errors: [.warnings, .limitExceeded, .amountOutOfRange],
      seeAlso: ["credit-store", "credit-balance"])
  }
}
