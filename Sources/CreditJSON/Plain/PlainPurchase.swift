package import CreditModel

/// What is bought by one plain top-up or more, and how their texts say it.
package struct PlainPurchase {
  package let credits: Credits
  /// `,"productID":"…"`; empty where no product is bought.
  let product: [UInt8]
  /// `,"price":"…","currency":"…"`; empty where nothing is known to have been paid.
  let price: [UInt8]

  /// Credits that are no product's.
  package init(_ credits: Credits) {
    self.credits = credits
    product = []
    price = []
  }

  /// What a purchase is recorded as.
  package init(_ transaction: Transaction) {
    credits = transaction.credits
    product = Self.members { writer in
      if let id = transaction.productID { writer.member("productID", id) }
    }
    price = Self.members { writer in
      if let price = transaction.price { writer.member("price", price) }
      if let currency = transaction.currency { writer.member("currency", currency) }
    }
  }

  /// Members as they stand behind others.
  private static func members(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(capacity: 64)
    writer.beginObject()
    write(&writer)
    return writer.withBytes { bytes in
      bytes.count == 1 ? [] : [UInt8(ascii: ",")] + bytes.dropFirst()
    }
  }
}

/// What there is to write of a plain top-up that was served.
package struct PlainPurchaseEntry {
  package let account: UnsafeRawBufferPointer
  /// The account as it is then.
  let state: PlainState
  let transaction: UnsafeRawBufferPointer
  /// Empty where it has none.
  let key: UnsafeRawBufferPointer
  let purchase: PlainPurchase

  package init(
    account: UnsafeRawBufferPointer, _ state: PlainState, transaction: UnsafeRawBufferPointer,
    key: UnsafeRawBufferPointer, _ purchase: PlainPurchase
  ) {
    self.account = account
    self.state = state
    self.transaction = transaction
    self.key = key
    self.purchase = purchase
  }

  /// How many bytes its texts have.
  var textCount: Int {
    account.count + transaction.count + key.count + purchase.product.count
      + purchase.price.count
  }
}

extension JSONWriter {
  /// Writes the record of a purchase up to where its checksum goes.
  package mutating func plainTopUp(_ entry: PlainPurchaseEntry, previous: RecordPosition?) {
    store(Self.plainFrameLimit + entry.textCount) { next, times in
      next.store(recordOf: "top-up", at: entry.state.updatedAt, of: entry.account, &times)
      next.store("\",\"transaction\":{\"id\":\"")
      next.store(entry.transaction)
      next.store("\",\"type\":\"purchase\",\"status\":\"completed\"")
      next.store(entry.purchase.product)
      next.store(",\"credits\":")
      next.store(entry.purchase.credits)
      next.store(entry.purchase.price)
      next.store(key: entry.key)
      next.store(UInt8(ascii: "}"))
      next.store(entry.state, &times)
      next.store(previous)
    }
  }

  /// Writes the answer to a purchase, as a line.
  package mutating func plainPurchase(_ entry: PlainPurchaseEntry) {
    store(Self.plainFrameLimit + entry.textCount) { next, times in
      next.store("{\"transaction\":{\"id\":\"")
      next.store(entry.transaction)
      next.store("\",\"account\":\"")
      next.store(entry.account)
      next.store("\",\"type\":\"purchase\",\"status\":\"completed\"")
      next.store(entry.purchase.product)
      next.store(",\"credits\":")
      next.store(entry.purchase.credits)
      next.store(",\"timestamp\":\"")
      next.store(entry.state.updatedAt, &times)
      next.store(UInt8(ascii: "\""))
      next.store(entry.purchase.price)
      next.store(key: entry.key)
      next.store("},\"creditsAdded\":")
      next.store(entry.purchase.credits)
      next.store(",\"newBalance\":")
      next.store(entry.state.balance)
      next.store("}\n")
    }
  }
}
