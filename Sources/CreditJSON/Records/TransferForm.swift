internal import CreditModel

// Transfers, as the records of both accounts say them: the same, but for whose the other side is.
extension JSONWriter {
  mutating func transfer(_ transfer: Transfer, isOut: Bool) {
    key("transfer")
    beginObject()
    member("id", transfer.id)
    member("counterparty", isOut ? transfer.to : transfer.from)
    member("credits", transfer.credits)
    member("key", transfer.key)
    if let reason = transfer.reason { member("reason", reason) }
    member("counterpartyBalance", isOut ? transfer.toBalance : transfer.fromBalance)
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
    cursor.expect(",\"counterparty\":")
    let other = self.account(&cursor)
    cursor.expect(",\"credits\":")
    let credits = cursor.integer()
    cursor.expect(",\"key\":")
    var transfer = Transfer(
      id: id, from: isOut ? account.name : other, to: isOut ? other : account.name,
      credits: credits, timestamp: account.updatedAt, key: self.id(&cursor))
    if cursor.skip(",\"reason\":") { transfer.reason = string(&cursor) }
    cursor.expect(",\"counterpartyBalance\":")
    let balance = cursor.integer()
    if isOut { transfer.toBalance = balance } else { transfer.fromBalance = balance }
    cursor.expect("}")
    return transfer
  }
}
