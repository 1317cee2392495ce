internal import CreditCommand

extension ManualPage {
  /// The page of what providers send, `credit-providers(7)`.
  static var providers: String {
    var page = MdocWriter()
    head(
      "credit-providers", section: 7, summary: "what providers count, and how responses end",
      into: &page)
    page.section("Description")
    page.text(
      """
      credit-price(1), credit-charge(1) and credit-run(1) take a provider's response as it comes,
      whole or streamed. This page says by which rules its usage becomes the counts that are priced,
      and when a response is whole, cut or failed. Each rule is the provider's own, from the page
      that is named beside it.
      """)
    for section in Tool.providerSections {
      page.section(section.title)
      page.blocks(section.blocks)
    }
    page.section("See also")
    page.line(".Xr credit-charge 1 ,")
    page.line(".Xr credit-price 1 ,")
    page.line(".Xr credit-run 1 ,")
    page.line(".Xr credit-policy 5")
    return page.lines.joined(separator: "\n") + "\n"
  }
}
