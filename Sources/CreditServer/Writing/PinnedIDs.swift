internal import CreditModel

/// The ids that a batch makes: the same ones however often it is tried, so that what a try has left
/// behind is known again.
final class PinnedIDs {
  private let makeID: (Timestamp) -> Name
  private var ids = ShortMap<Place, Name>()
  private var next = Place(request: 0, number: 0)

  /// Whose id it is, and which of those of its request.
  private struct Place: Hashable {
    let request: Int
    var number: Int
  }

  init(makeID: @escaping (Timestamp) -> Name) { self.makeID = makeID }

  /// Says whose ids are made next.
  func begin(_ request: Int) { next = Place(request: request, number: 0) }

  func make(at time: Timestamp) -> Name {
    defer { next.number += 1 }
    return ids[ids.place(of: next) ?? ids.append(next, makeID(time))]
  }
}
