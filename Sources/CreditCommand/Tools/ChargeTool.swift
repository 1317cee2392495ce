internal import CreditModel

extension Flag {
  static let arrears = Switch(
    "arrears", group: .action, "Charge finished work even if the account has no credits left",
    detail: """
      A direct charge is then not checked first, and the charge may put the account into debt
      even if the policy denies overdrafts. Only the flag says so: a request from a client cannot.
      """)

  static let amend = Switch(
    "amend", group: .action, "Correct an earlier charge to what it should have been",
    detail: """
      Other usage, another model or another reported cost for a charged authorization or key is
      then a correction, not a conflict. Only the flag says so: a request cannot.
      """)
}

extension Tool {
  /// `credit-charge`: authorization and actual usage → a receipt.
  package static let charge = Tool(
    .charge,
    summary: "Charge an account for what a model used",
    flags: [
      .authorization,
      .account.worded(
        "The account that pays: default if not given",
        detail: """
          Beside an authorization it must be that one's account, else the charge is
          `idempotency_conflict`. So must the account in the authorization's object.
          """),
      .key.worded(
        "Charge directly, once under this key",
        detail: """
          The key is the caller's own: a request id, the hash of a log line. It is unique within
          the account. Beside an authorization it is ignored.
          """),
      .model,
      .usedAt,
      .tag.worded(
        "A tag for reports; may be given several times",
        detail: """
          What a charge does not say itself it takes from its authorization, as far as there is
          room. The `custom_id` of a batch's result line is a tag of that name.
          """),
    ] + Flag.usage + Flag.conditions + [
      .response, .responseHeaders, .partial, .arrears, .amend, .dryRun,
    ] + Flag.common,
    exclusions: [Exclusion(.response, Flag.usage), Flag.unitsOrTokens],
    requirements: [Requirement(.responseHeaders, [.response])],
    wholeRequests: [
      CommandForm([.authorization], .init(Flag.usage)),
      CommandForm([.account], [.key], .init(Flag.usage)),
    ],
    run: { command throws(UsageError) in try command.runGate(.charge) },
    manual: { chargeManual })

  private static var chargeManual: Manual {
    Manual(
      synopsis: [
        "--authorization ID --model MODEL --input-tokens N ...",
        "--account NAME --key KEY --model MODEL --input-tokens N ...",
        "[--authorization ID | --account NAME --key KEY] --response < response",
        "< requests",
      ],
      description: [
        .text(
          """
          Deducts the price of what was really used, after the work, and answers with a receipt.
          Each authorization or key is charged once, however often the command runs.
          """),
        .text("A receipt is one line; it is broken here to fit the page:"),
        .code(
          """
          {"authorization":{"id":"019c7557-9500-7c41-9a3e-0c5b7f1e2a44",
           "account":"alice","timestamp":"2026-02-19T10:00:00.000Z"},
           "model":"claude-sonnet-4.5",
           "usage":{"inputTokens":1200,"outputTokens":500},
           "creditsCharged":12,"newBalance":988,
           "timestamp":"2026-02-19T10:00:09.000Z"}
          """),
        .text(
          """
          The price is that of credit-price(1), and it is recorded in dollars, too: `usd` in the
          lines of credit-history(1). Where a markup makes it another amount than the provider
          takes, the receipt has both, `usd` and `costUSD`. An exempt account is charged 0; its
          receipt adds `"exempt":true` and `creditsWaived`, what it would have cost.
          """),
        .text(
          """
          `usedAt` in a request, or `--used-at`, says when the work was done that is charged now.
          It is recorded, and decides which of a model's dated prices holds; the charge itself
          is dated now. It may lie at most 5 minutes ahead.
          """),
      ],
      sections: [chargeForms, chargeRepeats, chargeAmends, priceUsage],
      examples: chargeExamples,
      errors: [
        .accountClosed,
        .insufficientCredits, .spendLimit, .idempotencyConflict, .authorizationClosed,
        .unknownAccount, .unknownAuthorization, .unknownModel, .limitExceeded, .invalidUsage,
        .unpricedUsage, .failedResponse, .cutResponse, .amountOutOfRange, .cannotCreate,
      ],
      seeAlso: ["credit-authorize", "credit-price", "credit-balance", "credit-refund"])
  }

  private static var chargeForms: Section {
    Section(
      "Two ways to charge",
      [
        .terms([
          Term(
            "By authorization",
            """
            credit-authorize(1) asked before the work. The charge first releases the
            authorization's own hold. If the policy says `"overdraft":"allow"`, as it does by
            default, the charge goes through and may leave the balance negative: the work is done,
            and the next authorization is refused. If it says `"deny"`, the price must not be more
            than the balance less other open holds, else the charge is `insufficient_credits` and
            authorization and hold stay as they were. A price of 0 is never refused.
            """),
          Term(
            "Directly",
            """
            With an account and a key, the check of credit-authorize(1) and the charge are one
            step. If it is refused the key is not used up. This is the form to bill a log with.
            """),
        ]),
        .text(
          """
          If the usage cannot be priced nothing is charged, and the authorization stays open.
          """),
      ])
  }

  private static var chargeRepeats: Section {
    Section(
      "Charging again",
      [
        .text(
          """
          The same usage under the same authorization or key again is the first receipt plus
          `"replayed":true`, and nothing moves. Other usage, another model, another reported cost or
          another account is `idempotency_conflict`; another time of use is not. A voided
          authorization is `authorization_closed`. So a charge whose answer was lost can simply be
          repeated. The answer to a charge that has been refunded since says `"refunded":true`.
          """)
      ])
  }

  private static var chargeAmends: Section {
    Section(
      "Correcting a charge",
      [
        .text(
          """
          With `--amend` the request says what the charge should be. The price is computed again,
          at the prices of the time of use, or else of the charge's own time. The difference is
          taken, into debt if necessary, or given back, last taken first. The receipt is the new
          one with `amended` (how many times) and `previousCredits`. The same request again gets
          the same answer. The last correction holds. An authorization that was not charged yet is
          charged.
          """),
        .text(
          """
          Without `--amend` both the first usage and the present one get the present receipt. What
          could not be given back, because its bucket has expired, counts as paid when a later
          correction rises. An exempt charge stays exempt. A charge that has been refunded is
          `authorization_closed`, and another `usedAt` is `invalid_request`. An incomplete response
          or a usage that cannot be read corrects nothing.
          """),
        .text(
          """
          In the history the charge keeps its line. The difference is a line `amend:ID:N`; if the
          model is another one, `amend:ID:N:old` gives all back and `amend:ID:N` takes the new
          price.
          """),
      ])
  }

  private static var chargeExamples: [Example] {
    [
      Example(
        "Bill one call as it comes back from the provider:",
        """
        curl -s https://api.anthropic.com/v1/messages \\
          -H @headers -d @question.json |
          credit-charge --account me --key question-17 --response
        """),
      Example(
        "Charge an authorization by hand:",
        """
        id=$(credit-authorize --account me --get authorization.id)
        credit-charge --authorization "$id" --model claude-sonnet-4.5 \\
          --input-tokens 1200 --output-tokens 500 --get creditsCharged
        """,
        output: "12"),
      Example(
        """
        Bill a log of lines such as `{"account":"alice","key":"r1","model":"gpt-4o","usage":{...}}`.
        Run it twice, or after a crash, and nothing is billed twice:
        """,
        "credit-charge < usage.ndjson > receipts.ndjson"),
      Example(
        "Bill the logs of a coding agent every night, even if no credits are left:",
        "credit-usage claude --account me | credit-charge --arrears > receipts.ndjson"),
      Example(
        "Only authorized work is charged; refusals travel through the pipe as they are:",
        "credit-authorize --pass < usage.ndjson | credit-charge"),
    ]
  }
}
