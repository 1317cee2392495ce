internal import CreditModel

/// Sales and paybacks of each product, in all and in each month.
struct SalesBook {
  private var numbers = NameTable()
  private(set) var products: [ProductSums] = []
  private var months: [MonthOfProduct: DecimalSum] = [:]

  /// A product in one currency, or without a price.
  struct ProductSums {
    let id: String?
    /// The product's name, for people.
    let name: String?
    let currency: String?
    var sums = LineSums()

    /// The money after refunds.
    var kept: DecimalSum {
      get throws(CreditError) {
        var kept = sums.price ?? DecimalSum()
        try kept.add((sums.refundedPrice ?? DecimalSum()).negated)
        return kept
      }
    }
  }

  private struct MonthOfProduct: Hashable {
    let month: CalendarDay
    let product: Int
  }

  /// Adds a purchase that counts, or a refund of one that was paid back.
  mutating func add(_ line: ReportLine, _ payment: Payment?, on day: CalendarDay)
    throws(CreditError)
  {
    if line.kind == .refund, payment == nil { return }
    let id = line.text("productID")
    let key = Name(trusted: "\(payment?.currency ?? "") \(id ?? "")")
    let (number, isNew) = numbers.enter(key)
    if isNew {
      products.append(ProductSums(id: id, name: line.productName, currency: payment?.currency))
    }
    if let payment, payment.isBack { return try products[number].sums.payBack(payment) }
    try products[number].sums.add(line, payment)
    guard let payment else { return }
    let month = MonthOfProduct(month: day.monthStart, product: number)
    var sum = months[month] ?? DecimalSum()
    try sum.add(payment.amount)
    months[month] = sum
  }

  /// The money of all products in a currency, after refunds.
  func kept(in currency: String) throws(CreditError) -> DecimalSum {
    var sum = DecimalSum()
    for product in products where product.currency == currency { try sum.add(product.kept) }
    return sum
  }

  var entriesByMonth: [(month: CalendarDay, product: Int, paid: DecimalSum)] {
    months.map { ($0.key.month, $0.key.product, $0.value) }
  }
}
