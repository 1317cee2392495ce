internal import CreditCommand

extension ManualPage {
  /// The page of many people under one purse, `credit-teams(7)`.
  static var teams: String {
    var page = MdocWriter()
    head("credit-teams", section: 7, summary: "many people under one purse", into: &page)
    page.section("Description")
    for text in teamsDescription { page.text(text) }
    examples([teamSetUp, agentSession, alertMail], into: &page)
    page.section("What counts in a limit")
    for text in limitRules { page.text(text) }
    page.section("Elsewhere")
    for text in otherGateways { page.text(text) }
    page.section("See also")
    page.line(".Xr credit-account 1 ,")
    page.line(".Xr credit-authorize 1 ,")
    page.line(".Xr credit-balance 1 ,")
    page.line(".Xr credit-policy 5 ,")
    page.line(".Xr credit-tools 7")
    return page.lines.joined(separator: "\n") + "\n"
  }

  private static let teamsDescription = [
    """
    A team, a member, an API key, a project and an agent's session are all accounts. A parent lets
    many accounts spend the credits of one, and limits cap what each may spend in a window of time.
    """,
    """
    What an account cannot pay, its parent pays. A charge takes the account's own credits as far as
    it has any that are not held; the rest goes to its parent, and so on. The last account of the
    chain, the payer, pays what is left and alone may go into debt. A chain has at most 5 accounts.
    So a plain member spends its team's credits, a member with a monthly quota spends that first,
    and a team may spend its own budget before the company's.
    """,
    """
    A receipt says in `paidBy` who paid what, from the account upwards. Each payer has a line in its
    own history with the same id, `member`, and the charge's model and time of use; usage and money
    are on the member's line alone, so that sums over all accounts are right. A refund gives each
    payer back what it paid, a partial one the farthest payer first. An upward `--amend` is paid by
    today's chain.
    """,
  ]

  private static let teamSetUp = Example(
    "A company with two teams and an intern's key, in ten lines:",
    """
    credit-account --account acme
    credit-topup --account acme --transaction inv-1 --credits 100000
    credit-account --account research --parent acme --limit month=60000
    credit-account --account support --parent acme --limit month=20000
    credit-account --account ana --parent research
    credit-account --account ben --parent research --limit day=2000
    credit-account --account cai --parent support
    credit-account --account intern-key --parent research --limit day=100 --limit total=1000
    credit-authorize --account ana
    credit-balance --account intern-key --get available,payer
    """, output: "100\tacme")

  private static let agentSession = Example(
    "An agent's session that may spend 500 credits of ana's in all:",
    """
    credit-account --account session-7 --parent ana --limit total=500
    credit-run --account session-7 -- curl -s https://api.anthropic.com/v1/messages \\
      -H @headers -d @question.json
    credit-balance --account session-7 --get limits.0.used,limits.0.remaining
    """)

  private static let alertMail = Example(
    """
    A mail at 80 %, once: a receipt that is repeated repeats what it has crossed, and the key
    crossed:ID:LIMIT:PERCENT names the crossing. `limit-mail` is in the folder examples/teams:
    """,
    "credit-charge < usage.ndjson | ./limit-mail")

  private static let limitRules = [
    """
    What is charged counts, in every limit whose models include the model that set the price, of
    the account and of each account above it that the charge reaches. Transfers, adjustments and
    refunds of purchases do not. A charge counts when it is recorded; with `--arrears` it counts at
    its `usedAt`, and not at all if that is before the current window. An amend counts the
    difference, and a refund takes off what it gives back, in the window that has counted the
    charge: on a later day both leave the earlier window as it was.
    """,
    """
    Under `"overdraft":"allow"` a single charge may exceed a limit by any amount; the next
    credit-authorize(1) is refused. A hard cap needs `"overdraft":"deny"`, or holds.
    """,
    """
    Without `alerts` a limit tells of 100 percent. `limitsCrossed` is told again only after the
    counter has been below; a repeated request tells it again.
    """,
  ]

  private static let otherGateways = [
    """
    LiteLLM's `max_budget` with `budget_duration` of a key, user or team is a limit: `1d` is `day`,
    `7d` and `30d` are `{"days":7}` and `{"days":30}`, none is `total`; `soft_budget` is an alert,
    `model_max_budget` a limit with `models`, and a key's team its parent.
    """,
    """
    OpenRouter's credit limit of a key is `total`, with a reset `day`, `week` or `month`; the
    account whose credits all keys spend is the parent of each.
    """,
  ]
}
