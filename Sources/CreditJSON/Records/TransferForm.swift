internal import CreditModel

// Transfers, as the records of both accounts say them: the same, but for whose the other side is.
// Where that account has been removed from the books nothing is said of it.
extension JSONWriter {
  mutating func transfer(_ transfer: Transfer, isOut: Bool) {
    key("transfer")
    beginObject()
    member("id", transfer.id)
    let other = isOut ? transfer.to : transfer.from
    if other != .nobody { member("counterparty", other) }
    member("credits", transfer.credits)
    member("key", transfer.key)
    if let reason = transfer.reason { member("reason", reason) }
    if other != .nobody {
      member("counterpartyBalance", isOut ? transfer.toBalance : transfer.fromBalance)
    }
    endObject()
  }
}

extension RecordReader {
  /// A transfer; the balance of the record's own account is left out.
  mutating func transfer(isOut: Bool, of account: Account, _ cursor: inout RecordCursor)
    -> Transfer
  {
    cursor.expect(",\"transfer\":{\"id\":")
    let id = self.id(&cursor)
    let other = cursor.skip(",\"counterparty\":") ? self.account(&cursor) : .nobody
    cursor.expect(",\"credits\":")
    let credits = cursor.integer()
    cursor.expect(",\"key\":")
    var transfer = Transfer(
      id: id, from: isOut ? account.name : other, to: isOut ? other : account.name,
      credits: credits, timestamp: account.updatedAt, key: self.id(&cursor))
    if cursor.skip(",\"reason\":") { transfer.reason = string(&cursor) }
    if other != .nobody {
      cursor.expect(",\"counterpartyBalance\":")
      let balance = cursor.integer()
      if isOut { transfer.toBalance = balance } else { transfer.fromBalance = balance }
    }
    cursor.expect("}")
    return transfer
  }
}
