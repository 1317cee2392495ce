/// The members of an object in the order of its text; valid as long as the value.
package struct JSONMembers: Sequence, IteratorProtocol {
  private let object: JSONValue
  private var name: Int
  private let end: Int

  init(of value: JSONValue) {
    object = value
    name = value.index + 1
    end = value.kind == .object ? Int(value.node.next) : name
  }

  /// The next member. Its name is a string.
  package mutating func next() -> (name: JSONValue, value: JSONValue)? {
    guard name < end else { return nil }
    let member = (name: object.at(name), value: object.at(name + 1))
    name = Int(member.value.node.next)
    return member
  }
}

/// The elements of an array in the order of its text; valid as long as the value.
package struct JSONElements: Sequence, IteratorProtocol {
  private let array: JSONValue
  private var element: Int
  private let end: Int

  init(of value: JSONValue) {
    array = value
    element = value.index + 1
    end = value.kind == .array ? Int(value.node.next) : element
  }

  /// The next element.
  package mutating func next() -> JSONValue? {
    guard element < end else { return nil }
    let value = array.at(element)
    element = Int(value.node.next)
    return value
  }
}
