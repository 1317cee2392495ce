extension Tool {
  /// What the manual says about StoreKit.
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
