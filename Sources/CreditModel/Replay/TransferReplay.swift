/// Transfers, done again from the records of either side.
extension Account {
  mutating func replayGiving(of transfer: Transfer) throws(CreditError) {
    try expect(
      transfer.from == name && transfer.to != name && transfer.timestamp == updatedAt,
      "the transfer is another's")
    try expect(transfer.credits > 0, "it gives nothing")
    try give(transfer.credits)
  }

  mutating func replayReceiving(of transfer: Transfer) throws(CreditError) {
    try expect(
      transfer.to == name && transfer.from != name && transfer.timestamp == updatedAt,
      "the transfer is another's")
    try expect(transfer.credits > 0, "it gives nothing")
    try requireOpen()
    try deposit(transfer.credits, kind: .purchased)
  }
}
