internal import CreditCommand

/// The limits of the suite: the last sections of `credit-tools(7)`.
extension Overview {
  static let promises = Section(
    "What is promised, and what is not",
    [
      .text(
        """
        Credits are 64-bit integers, prices exact decimals; nothing is rounded but the final price,
        up. An id counts once: charges by authorization or key, top-ups by transaction or key. What
        one operation costs does not depend on how many came before.
        """),
      .text(
        """
        A call that has started is paid for, so a balance may be below zero; then nothing starts
        until it is topped up. Where that must not be, the policy says `"overdraft":"deny"`, or work
        starts with `--hold`. The prices are those of the policy: nothing asks a provider for
        prices, or for anything else.
        """),
      .text(
        """
        Checksums find damage, not fraud: whoever may write the store's directory, or has a writer's
        role on a server, may write the books. A store in a directory is for one machine and its
        local disk, not for network file systems. For several machines there are stores on a
        server, which were tested with PostgreSQL alone. App Store transactions are verified with
        the command openssl(1).
        """),
    ])

  static let otherWays = Section(
    "Other ways",
    [
      .text(
        """
        A table in your own database: if your product has one, and charges are written in the same
        transaction as the product's own rows, do that, as no tool beside it can be atomic with it.
        What you then write yourself is the part that goes wrong: the same call charged once
        whatever is retried, holds for work that runs, refunds into the bucket that paid, credits
        that expire, cache writes and batch prices of each provider, and a way to show that the sums
        are right. That part is here, tested by killing it, and `credit-store export` takes it
        elsewhere.
        """),
      .text(
        """
        A gateway's budget: LiteLLM, OpenRouter and the providers' own consoles stop a key at a
        limit, close to the call, and that is worth having. They count dollars that you pay, not
        credits that somebody bought: there is no purchase, refund, expiry or receipt, and the limit
        is about as exact as their price list and their cache. Keep the gateway and bill its log
        with credit-usage(1); credit-reconcile(1) says whether its bill and your books agree.
        """),
      .text(
        """
        A billing service: for subscriptions, tax, invoices and cards use one. These tools take no
        money: they record what was bought, and what became of it.
        """),
      .text(
        """
        The wrong tool: many machines without PostgreSQL; a balance that must never be overrun by a
        call in flight, which `--hold` prevents, but you have to know the most that the call may
        cost; an audit that needs more than files, checksums and seals.
        """),
    ])
}
