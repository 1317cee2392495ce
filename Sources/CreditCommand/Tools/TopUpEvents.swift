internal import CreditModel

extension Flag {
  static let event = TextFlag(
    "event", "FORMAT", .choice(PaymentFormat.allCases.map(\.rawValue)), group: .action,
    "Take one payment event, raw, from standard input",
    detail: """
      A webhook's delivery of Stripe, Paddle, RevenueCat, or whoever signs by Standard Webhooks
      (Polar, Svix): all of standard input is its body, byte for byte. See Payment events below.
      """)

  static let header = ListFlag(
    "header", "NAME: VALUE", group: .action,
    "A header of the delivery; may be given several times",
    detail: "Others can read command lines: `Authorization` has to come by `--headers`.")

  static let headers = TextFlag(
    "headers", "FILE", .path, group: .action, "The headers of the delivery, one a line")

  static let verify = Switch(
    "verify", group: .action, "Check the event, print what it is about, and write nothing")
}

extension Tool {
  /// What `credit-topup` does with payment events.
  static var topupEvents: [Section] {
    [
      Section("Payment events", eventText),
      Section("What events do", eventEffects),
    ]
  }

  private static var eventText: [Block] {
    [
      .text(
        """
        The policy's `events` say where they come from, and which file beside the policy has the
        secrets; on a server it is in the folder `$CREDIT_EVENT_SECRETS` of the machine that
        receives the events. The file has one secret a line, several while one is changed; others
        than its owner must not be able to read it. The signature is checked before anything else
        is looked at: HMAC-SHA256 over the body as it came, in constant time, and the time of the
        signature within `tolerance` of the store's clock. RevenueCat's events need its signature
        or, in the `Authorization` header, the secret itself; `tolerance` does not apply to them.
        What is refused is `unverified_transaction` with a `reason`: `not_configured`,
        `no_signature`, `bad_signature`, `too_old` or `wrong_mode`.
        """),
      .code(
        """
        "events": [{"format": "stripe", "secretFile": "stripe.secret",
          "tolerance": "5m", "liveOnly": true,
          "accountFrom": ["client_reference_id", "metadata.account"],
          "productFrom": ["metadata.product", "payment_link"],
          "products": {"plink_1MoC3ULkdIwHu7ix": "pack.1000"}}]
        """),
      .text(
        """
        `accountFrom`, `productFrom` and `quantityFrom` are paths of members within what the event
        is about, or within all of it; the first that is there counts; products and quantities are
        looked for in each line of an invoice, and in each item of Paddle's, first. What is found is
        looked up in `products`, or else is a product of the catalog. Without them: Stripe as above,
        and each line's price of an invoice; Paddle `custom_data.account` and each item's
        `price_id`; RevenueCat `app_user_id` and `product_id`. A purchase of a product of the
        catalog or of `products` without an account is `invalid_request`; one that names an account
        and no such product is `unknown_product`: the sender repeats it until the policy is mended.
        """),
      .text(
        """
        A provider's account may sell other things, too. A purchase that names neither an account
        nor a product of the catalog or of `products` changes nothing and has the reason
        `not_ours`, with a sentence on standard error; with `"onlyOurs":true` it is an error, as
        above. What was paid is what the event says: an amount or a currency that is missing or
        null is `invalid_request`. A refusal begins with the event, its payment, account and money.
        """),
      .text(
        """
        Of `standard` the policy says what bodies mean: `types` (`purchase`, `pending`, `failed`,
        `refund`, `subscription`, `end`), `idFrom`, `amountFrom`, `refundedFrom` (what is refunded
        in all), both in minor units, `currencyFrom` and `timeFrom`. A `subscription` pays for a
        plan, and an `end` ends what is paid no further, until the time at `untilFrom`. A `refund`
        takes the share of the credits that `refundedFrom` is of `amountFrom`, so both have to be
        there, with the same taxes or without. For Polar, whose `refunded_amount` has no tax:
        """),
      .code(
        """
        {"format": "standard", "secretFile": "polar.secret",
         "types": {"order.paid": "purchase", "order.refunded": "refund"},
         "idFrom": "data.id", "accountFrom": "data.metadata.account",
         "productFrom": "data.product_id", "amountFrom": "data.net_amount",
         "refundedFrom": "data.refunded_amount", "currencyFrom": "data.currency"}
        """),
    ]
  }

  private static var eventEffects: [Block] {
    [
      .text(
        """
        A paid session of Stripe's Checkout, or a payment intent whose metadata names
        account and product, grants under the payment intent's id, whichever comes first; an
        invoice under its own, each line of several under `INVOICE/LINE`; an item of a
        transaction of Paddle's under `TRANSACTION/ITEM`; a purchase or renewal of
        RevenueCat's under its `transaction_id`. A session that is not paid yet is
        `pending`; a payment that failed is `failed`. Refunds take back the share of the
        credits that was refunded of the money, rounded up, in all (of an invoice, from each
        line; since Stripe's API of 2025-03-31 `invoice_payment.paid` says which payment an
        invoice is of); a dispute takes back everything and restores it when it is won; a
        chargeback of Paddle's takes its share until `chargeback_reverse`. A cancellation by
        RevenueCat's customer support takes everything back, until `REFUND_REVERSED`; its `TRANSFER`
        moves nothing, with the reason `not_moved`. Where a session of Checkout or a
        payment intent has granted what its invoice is of, the invoice grants nothing, or is taken
        back as soon as an event says that both are one payment.
        """),
      .text(
        """
        Where the product has a `plan`, what is paid is a renewal of it, as under Subscriptions:
        an invoice of Stripe's until the end of its line's `period`, a transaction of Paddle's
        until `billing_period.ends_at`, a purchase of RevenueCat's until `expiration_at_ms`. A
        refund or a dispute of it, also of a part, ends what it pays for at once. So do Stripe's
        `customer.subscription.deleted`, which finds the account in the subscription's metadata,
        where the subscription was not paid further since, and RevenueCat's `EXPIRATION`, however
        far it was paid before. RevenueCat's `SUBSCRIPTION_EXTENDED` is another end of a purchase.
        An event
        of a product with a plan that says no end is `invalid_request`; for how many seats it is
        makes no difference. Of an invoice each line costs its share of what was paid in all.
        """),
      .text(
        """
        Events may come any number of times, in any order. A refund that comes before its purchase
        is recorded, and taken into account when the purchase comes. What a person took back with
        credit-refund(1) no event gives back. Everything else is answered
        `{"event":{"format":...,"type":...,"id":...},"changed":false}` with status 0, as senders
        repeat otherwise; some with a `reason`.
        """),
    ]
  }
}
