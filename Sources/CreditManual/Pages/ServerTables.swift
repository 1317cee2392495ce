internal import CreditCommand

/// Tables of the database: sections of `credit-server(7)`.
extension ServerSections {
  static let tables = Section(
    "Tables",
    [
      .text("The schema `credit` has these tables. The records are the ledger."),
      .terms([
        Term(
          "`credit.record`",
          """
          What happened to an account, one row each. `seq` counts the account's records from 1 on,
          without a gap. `before` and `balance` are its credits before and after, `credits` is what
          lies between, with what expired or was reset at the time. `body` is the record's text, as
          in the journal of credit-store(5); `previous` in it is the position of the account's
          record before. `position` orders the records of all accounts: a time of the server in
          thousandths of a microsecond since 1970, no two alike, and rising within an account.
          """),
        Term(
          "`credit.account`",
          "An account as its newest record left it: `name`, `balance`, and that record."),
        Term(
          "`credit.identity`",
          """
          Where an id leads: to the newest record that has it, by `account` and `seq`. `kind` is 1
          for a transaction and 2 for an authorization. It is 3, 4 and 5 for the keys of charges,
          top-ups and transfers, each the key of one account, `scope`.
          """),
        Term("`credit.policy`", "Every policy that was ever set, when, and by which role."),
        Term("`credit.policy_file`", "The files that these name."),
        Term(
          "`credit.store`",
          "One row: the store's id, the version of its tables, that of its policy, and its age."),
      ]),
      .text(
        """
        Constraints hold whoever writes. Two writers who go on from one record of an account get the
        same `seq`, and one of them is refused. `before` and `credits` make `balance`. An id is
        there once.
        """),
    ])

  static let questions = Section(
    "Questions for psql",
    [
      .text(
        """
        A reader may ask in SQL what the tools do not. Who is running low, by the newest records
        (what has expired since is not seen, as it is by credit-balance(1)):
        """),
      .code(lowBalances),
      .text("What each model took in the last thirty days:"),
      .code(models),
      .text("Whose a transaction is, and what it did:"),
      .code(transaction),
      .text(
        """
        `body` is cast to `json`: `jsonb` would change numbers and refuse some texts. The second
        question reads every record, as no index is by time.
        """),
    ])

  private static let lowBalances = """
    SELECT name, balance FROM credit.account
    WHERE balance < 100 ORDER BY balance LIMIT 20;
    """

  private static let models = """
    SELECT body::json ->> 'model' AS model, count(*) AS charges,
      -sum(credits) AS credits
    FROM credit.record
    WHERE at > now() - interval '30 days' AND body::json ->> 'event' = 'charge'
    GROUP BY model ORDER BY credits DESC;
    """

  private static let transaction = """
    SELECT account, at, credits, balance, body
    FROM credit.identity JOIN credit.record USING (account, seq)
    WHERE id = '2000000123' AND kind = 1;
    """
}
