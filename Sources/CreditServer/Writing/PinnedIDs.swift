internal import CreditModel

/// The ids that a batch makes: the same ones however often it is tried, so that what a try has left
/// behind is known again.
final class PinnedIDs {
  private let makeID: (Timestamp) -> Name
  private var ids: [[Name]]
  private var request = 0
  private var count = 0

  init(forRequests count: Int, makeID: @escaping (Timestamp) -> Name) {
    self.makeID = makeID
    ids = Array(repeating: [], count: count)
  }

  /// Says whose ids are made next.
  func begin(_ request: Int) {
    self.request = request
    count = 0
  }

  func make(at time: Timestamp) -> Name {
    defer { count += 1 }
    if count == ids[request].count { ids[request].append(makeID(time)) }
    return ids[request][count]
  }
}
