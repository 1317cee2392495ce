/// Credits that went from one account to another.
package struct Transfer: Hashable, Sendable {
  package var id: Name
  package var from: Name
  package var to: Name
  package var credits: Credits
  package var timestamp: Timestamp
  /// Key that makes it once, within the giving account.
  package var key: Name
  package var reason: String?
  /// The balance of the giving account right after it.
  package var fromBalance: Credits
  /// The balance of the receiving account right after it.
  package var toBalance: Credits

  package init(
    id: Name, from: Name, to: Name, credits: Credits, timestamp: Timestamp, key: Name,
    reason: String? = nil, fromBalance: Credits = 0, toBalance: Credits = 0
  ) {
    self.id = id
    self.from = from
    self.to = to
    self.credits = credits
    self.timestamp = timestamp
    self.key = key
    self.reason = reason
    self.fromBalance = fromBalance
    self.toBalance = toBalance
  }
}

/// Gives credits from one account to another.
package struct TransferRequest: Sendable {
  package var from: Name
  package var to: Name
  package var credits: Credits
  /// Unique within the giving account, apart from its other keys.
  package var key: Name
  package var reason: String?
  package var time: Timestamp?

  package init(
    from: Name, to: Name, credits: Credits, key: Name, reason: String? = nil,
    time: Timestamp? = nil
  ) {
    self.from = from
    self.to = to
    self.credits = credits
    self.key = key
    self.reason = reason
    self.time = time
  }
}
