/// Every order of some elements.
func orders<Element>(_ elements: [Element]) -> [[Element]] {
  if elements.count < 2 { return [elements] }
  return elements.indices.flatMap { place in
    var rest = elements
    let first = rest.remove(at: place)
    return orders(rest).map { [first] + $0 }
  }
}
