internal import CreditCommand

extension ManualPage {
  /// The page of the file that has a store's rules, `credit-policy(5)`.
  static var policy: String {
    var page = MdocWriter()
    head("credit-policy", section: 5, summary: "the rules of a store of credits", into: &page)
    page.section("Description")
    page.text(
      """
      The file `policy.json` in a store says what things cost, what is on sale, and what accounts
      may do. credit-store(1) makes it, prints it, checks one and puts another in its place; it may
      be edited by hand, too. Past records never change with it.
      """)
    for section in Tool.policySections {
      page.section(section.title)
      page.blocks(section.blocks)
    }
    examples(policyExamples, into: &page)
    page.section("See also")
    page.line(".Xr credit-price 1 ,")
    page.line(".Xr credit-store 1 ,")
    page.line(".Xr credit-store 5 ,")
    page.line(".Xr credit-tools 7")
    return page.lines.joined(separator: "\n") + "\n"
  }

  private static let policyExamples = [
    Example(
      "An app that bills tokens with a quarter on top, and sells two packs:",
      """
      cat > policy.json <<'END'
      > {"markup": "1.25", "starterCredits": 100, "lowBalance": [50],
      >  "models": [{"id": "gpt-4o", "usdPer1M": {"input": "2.5", "output": "10",
      >              "cacheRead": "1.25"}}],
      >  "products": [{"id": "pack.1000", "name": "1,000 credits", "credits": 1000,
      >                "price": "1.99", "currency": "USD"},
      >               {"id": "pack.5000", "name": "5,000 credits", "credits": 5000,
      >                "price": "7.99", "currency": "USD"}]}
      > END
      credit-store policy --check policy.json
      credit-store init --policy policy.json
      """),
    Example(
      "Plans with a monthly quota, of which some is carried over:",
      """
      cat > policy.json <<'END'
      > {"unit": "second", "starterCredits": 0, "overdraft": "deny",
      >  "models": [{"id": "recording", "creditsPerUnit": 1}],
      >  "plans": [{"id": "free", "quota": 600, "period": "month"},
      >            {"id": "pro", "quota": 3600, "period": "month", "rolloverMax": 1800}]}
      > END
      credit-store policy --set policy.json
      """),
  ]
}
