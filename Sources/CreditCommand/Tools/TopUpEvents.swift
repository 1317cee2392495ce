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
  /// The manual's sections on payment events.
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

extension Tool {
  /// The manual's sections on StoreKit.
  static var topupStoreKit: [Section] {
    [
      Section("StoreKit", storeKitForms + storeKitRefunds + storeKitSubscriptions),
      Section("Verification", storeKitVerification),
    ]
  }

  private static var storeKitForms: [Block] {
    [
      .text(
        """
        A request may be what Apple's StoreKit or the App Store's server says: a signed transaction
        (JWS) on a line of its own, or as `signedTransactionInfo`, `jwsRepresentation` or
        `transaction_data`; a server notification as `signedPayload`; or, where the policy has
        `"unverifiedTransactions":"accept"`, a transaction in plain JSON (`transactionId`,
        `productId`, `quantity`, in camel or snake case), as the request itself or as text in one
        of those members. With `--storekit` no other request is taken.
        """),
      .code(
        """
        {"account":"alice","transaction_data":"eyJhbGciOiJFUzI1NiIsIng1YyI6..."}
        """),
      .text(
        """
        The `transactionId` makes it once, however often it is signed. The `originalTransactionId`
        is recorded with it and claimed, too: a transaction with another id of a purchase that was
        granted already is a replay of that grant. The product is looked up in
        the catalog and `quantity` multiplies it; the price is recorded.
        The account is the request's or `--account`, else the transaction's `appAccountToken`.
        A request with `credits`, `transaction` or `key` as well is refused; its `product`,
        `quantity`, `type`, `status`, `price`, `currency` and `appAccountToken` must agree. Plain
        JSON may leave `type` out; a member of a transaction that is null counts as left out.
        """),
    ]
  }

  private static var storeKitRefunds: [Block] {
    [
      .text(
        """
        A transaction with a `revocationDate`, and a notification `REFUND`, take back what the
        purchase granted, once, as `credit-refund` does and with its answer: all of it, or the
        share that `revocationPercentage` says (in thousandths of a percent), rounded up. One that
        never granted is recorded as refunded with 0 credits, and never grants. `REFUND_REVERSED`
        restores what was taken back, or grants what was refunded before it could grant or is not
        known yet, with the answer of a top-up. `ONE_TIME_CHARGE` grants. These find the account by
        the purchase, where the request names none.
        """),
      .text(
        """
        Any other notification, and one that comes late, is answered
        `{"notification":{"type":"TEST","id":"..."},"changed":false}` with status 0. Late is what
        was signed before the newest refund, reversal or notified charge of its purchase, even one
        that found nothing to do: so the order in which they come does not matter. The same
        notification again is answered as before, plus `"replayed":true`, while nothing newer has
        changed the purchase; after that it changes nothing.
        """),
    ]
  }

  private static var storeKitSubscriptions: [Block] {
    [
      .text(
        """
        A transaction of type `Auto-Renewable Subscription` whose product has a `plan` in the policy
        is a top-up of that subscription: `expiresDate` is its end, `purchaseDate` the beginning of
        the paid period. Each renewal is a transaction of its own; `originalTransactionId`, which
        all of them have in common, is recorded and claimed by none, and a renewal that names no
        account is for the account of the first. One that was upgraded (`isUpgraded`) is recorded
        and sets no plan. The notifications `SUBSCRIBED`, `DID_RENEW` and `DID_CHANGE_RENEWAL_PREF`
        are top-ups, too; `REFUND` and `REVOKE` end what was paid for, `EXPIRED` and
        `GRACE_PERIOD_EXPIRED` end the plan at once, unless it is paid further. Of products without
        a plan, and of what was shared in a family, these notifications change nothing. Where a
        product that the catalog does not have was paid for, the error is `unknown_product`, so that
        the App Store repeats it, unless the catalog has no product with a plan at all.
        """)
    ]
  }

  private static var storeKitVerification: [Block] {
    [
      .text(
        """
        A signed text is verified before anything else, by the policy's `appStore`: three
        certificates whose chain leads to `rootCertificate` (the third is never trusted), Apple's
        extensions on the first two, validity when it was signed (`signedDate`, or now), a
        signature of the kind ES256, `bundleID`, `environment`, and for notifications of Production
        `appAppleID`. A transaction within a notification is verified likewise. In the environments
        `Xcode` and `LocalTesting`, which only the policy can choose, signatures are not checked.
        The `openssl` command of the PATH does it, with temporary files that are removed afterwards;
        if there is none, or it gives no verdict, the error is `unavailable`, and the same
        text may be tried again.
        """),
      .text(
        """
        With `"keepSigned":true` in the policy's `appStore` what was signed (up to 64 KiB) is
        recorded with the purchase, and `credit-history --transaction ID` prints it.
        """),
      .text(
        """
        What is refused is `unverified_transaction` with a `reason`: `not_configured`, `unsigned`,
        `malformed`, `algorithm`, `certificates`, `chain`, `certificate_purpose`, `signature`,
        `bundle_id`, `app_id`, `environment`, `missing_transaction`, `missing_id`,
        `missing_product`, `type`, `family_shared`, `quantity`, `date` or `revocation`.
        """),
    ]
  }
}
