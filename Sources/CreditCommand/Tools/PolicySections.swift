internal import CreditJSON

/// The page credit-policy(5).
extension Tool {
  /// The rules, the meaning of each member, and how models are priced.
  package static var policySections: [Section] { [rulesOfPolicy, membersOfPolicy, pricedModels] }

  private static var rulesOfPolicy: Section {
    Section(
      "The policy",
      [
        .text(
          """
          The rules are in `policy.json`, written by `credit-store init` and changed with
          `credit-store policy --set` or an editor. It is checked whole: an unknown member, a wrong
          type or an impossible value is `invalid_policy` with its path, as in
          `products[2].credits`, and nothing is done. A member that is missing has its default,
          shown here:
          """),
        .code(defaults),
        .text(
          """
          A policy that `credit-store init` makes by itself also has the prices of the models that
          people bill most, and three products.
          """),
      ])
  }

  /// The members of the standard policy before its lists, and the defaults of all others.
  private static var defaults: String {
    let lines = String(decoding: PolicyText.standard, as: UTF8.self).split(separator: "\n")
    return
      (lines.prefix { !$0.hasPrefix("  \"models\"") }
      + [
        #"  "unpricedUsage": "reject","#, #"  "markup": "1","#, #"  "lowBalance": [],"#,
        #"  "models": [],"#, #"  "products": [],"#, #"  "plans": [],"#, #"  "appStore": null"#, "}",
      ]).joined(separator: "\n")
  }

  private static var membersOfPolicy: Section {
    Section(
      "Members of the policy",
      [
        .terms([
          Term("`unit`", "What one credit is called."),
          Term(
            "`usdMicrosPerCredit`",
            "What one credit is worth, in millionths of a dollar: 1000 is a tenth of a cent."),
          Term("`starterCredits`", "What each account starts with, once."),
          Term(
            "`registration`",
            """
            `automatic`: the first write for an account registers it. `explicit`: an account that
            was not registered before is `unknown_account`.
            """),
          Term(
            "`overdraft`",
            """
            `allow`: a charge after the work goes through and may leave the balance negative.
            `deny`: it needs the credits.
            """),
          Term("`minimumCharge`", "The least that any usage above zero costs."),
          Term(
            "`usageFallback`",
            "`reject`: malformed usage is `invalid_usage`. `minimum`: it costs the minimum."),
          Term(
            "`unpricedUsage`",
            """
            `reject`: what a model has no price for is `unpriced_usage`. `base`: the rest is
            charged.
            """),
          Term(
            "`markup`",
            """
            What dollar prices are multiplied by: decimal text above 0. A model may have its own.
            """),
          Term("`holdExpiresIn`", "How long a hold lasts if the request does not say."),
          Term(
            "`clock`",
            """
            `real`: writes are at most 5 minutes ahead of the system clock, and no record is
            earlier than the one before it. `simulated`: `--now` may be anything, and a request may
            carry its own `now`.
            """),
          Term(
            "`topUpLimit`",
            """
            The most top-ups of an account, the most credits that they add, or both, in a `minute`,
            `hour`, `day` or `month` (30 days): `{"count":10,"credits":50000,"period":"day"}`. Of
            top-ups before the limit had `credits` the count alone is known. What StoreKit and
            payment events say was paid is never refused for it, and does not count.
            """),
          Term(
            "`lowBalance`",
            """
            Balances such as `[500, 100]`. The write that takes an account from N or more to below
            N says `"crossed":[N]` in its result and in its line of the history. A replay says it
            again; another write says it only after the balance has been back at N or more.
            """),
          Term("`unverifiedTransactions`", "`accept` takes StoreKit's plain JSON unsigned."),
          Term(
            "`models`",
            """
            The prices: see Models below.
            """),
          Term(
            "`products`",
            """
            Each has an `id`, `credits`, and optionally `name`, `description`, `displayOrder`,
            `price`, `currency`, `active` and `createdAt`, and `groups` of accounts, which alone are
            shown it: see `--group` in credit-account(1). `priority`, `expiresIn` and `models` make
            its top-ups grants: see Terms in credit-topup(1). `bonuses` are promotions, at most 8:
            each has an `id`, `credits` or `percent` (of the purchase's, rounded down), and
            optionally `from`, `until`, `first`, `priority`, `expiresIn`, `models`. A purchase that
            completes between `from` and `until` grants each in the same write, under the id
            `ID:BONUS`; a refund of it takes back what is left of them. One with `"first":true` is
            for an account's first completed purchase of any product alone, or of credits without a
            product: purchases that were refunded since, or made before there was a promotion,
            count. A purchase with a start of its own, which completes later, grants none. See
            credit-grants(7). A product with a `plan`, one of `plans`, is a subscription: its
            top-ups set that plan until the end that they say, and it need not have `credits`;
            `gracePeriod`, such as `3d`, is how long the plan goes on after that without a
            renewal. See Subscriptions in credit-topup(1).
            """),
          Term(
            "`catalog`",
            """
            A file beside the policy with more models and products, as `credit-price --import`
            prints it, searched last. `init` and `policy --set` take it into the store, under a name
            made of its content; who edits `policy.json` may name any file in the folder.
            """),
          Term(
            "`events`",
            """
            Where payment events come from: see Payment events in credit-topup(1). Each format once
            at most, with `secretFile` and optionally `tolerance`, `accountFrom`, `productFrom`,
            `quantityFrom`, `products`, `onlyOurs`, by which a sale of something else is an error,
            and `liveOnly`, by which test events of Stripe and RevenueCat are refused; those of
            others do not say that they are.
            """),
          Term(
            "`plans`",
            """
            Each has an `id`, and a `quota` with its `period` and optionally `rolloverMax`, or
            `limits`, or both. The period is `day`, `month`, `{"days":N}`, or `subscription`: then
            the paid period of a subscription is the quota's, each renewal begins a new one, nothing
            is carried over, and an account for which nothing is paid has none. A limit has an `id`
            (1 to 64 letters, digits, `_` and `-`), a `period` (`hour`, `day`, `week`, `month`,
            `total` or `{"days":N}`, N from 1 to 366), `credits`, and optionally `models` (ids of
            the catalog, or prefixes that end in `*`; all models without it) and `alerts` (rising
            percentages, `[100]` without it).
            """),
          Term(
            "`appStore`",
            """
            `bundleID`, `environment`, `appAppleID`, `rootCertificate` and `keepSigned` for
            StoreKit.
            """),
        ])
      ])
  }
}
