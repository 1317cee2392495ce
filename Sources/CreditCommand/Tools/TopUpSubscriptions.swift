extension Tool {
  /// What the manual says about subscriptions.
  static var topupSubscriptions: Section {
    Section(
      "Subscriptions",
      [
        .text(
          """
          A product with a `plan` in the policy is a subscription. Its top-up has the type
          `subscription` and needs the end that is paid for, `--expires-at`: it sets the account's
          plan until then, and adds credits only if the product gives some. The answer is that of a
          top-up; `plan` and `until` say what is in force now, and are left out if nothing is:
          """),
        .code(
          """
          {"transaction":{"id":"sub-1042","account":"alice","type":"subscription",
           "status":"completed","productID":"pro.monthly","credits":0,
           "timestamp":"2026-12-01T10:00:00.000Z"},"creditsAdded":0,
           "newBalance":500,"plan":"pro","until":"2027-01-01T00:00:00.000Z"}
          """),
        .text(
          """
          A later end extends it, of the same transaction or of another one; an earlier one of the
          same product changes nothing, and one in the past is recorded and sets nothing: so
          payments may come late, twice and in any order. Each time that it is paid further is a
          renewal: a quota whose period is `subscription` begins again then. When the end has come,
          and the product's `gracePeriod` after it, the plan is removed with what is left of its
          quota, by arithmetic and whether anybody looks or not. In the grace period what is left of
          the quota may still be used.
          """),
        .text(
          """
          A refund of the transaction that pays for it ends the plan at once, and with it what was
          paid before for less long; a payment for the same end holds, and so does one that begins
          after it. A refund of another one changes no plan. Where a refund is reversed, the plan is
          back, and a quota by the paid period with what had been used of it. What a charge of an
          earlier period gives back does not go to the quota of the present one.
          """),
        .text(
          """
          An account has one subscription. A top-up of another subscription product takes its place
          from then on, and keeps what was used of the quota; the refund of that ends the plan. A
          plan set with credit-account(1) takes its place, too, and is not removed by its end; the
          next renewal sets the subscription's plan again.
          """),
        .text(
          """
          A repeat with another `--expires-in`, or with a later end and a price that is not the
          recorded one, is an `idempotency_conflict`: what is paid again has an id of its own.
          """),
        .text(
          """
          A subscription has no quantity, priority, start or models of its own, and `--to` does not
          go with it. The terms that its product has are those of the credits that it gives.
          """),
      ])
  }
}
