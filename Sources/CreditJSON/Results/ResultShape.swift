internal import CreditModel

/// What a value of a result may be: which members an object may have, and of what kind they are.
package indirect enum ResultShape: Sendable {
  case value(Kind)
  case list(ResultShape)
  case object([ResultMember])
  /// An object with names of the user's own, such as tags.
  case map(ResultShape)
  /// JSON in the form of a request, a policy or a catalog, which is not described here.
  case any

  /// What has no members.
  package enum Kind: Sendable {
    case text, integer, truth, time
    /// A number with a fraction, as decimal text.
    case decimal
  }
}

/// A member that an object of a result may have.
package struct ResultMember: Sendable {
  package let name: String
  package let shape: ResultShape
  /// Whether every result of the kind has it.
  package let isRequired: Bool

  init(_ name: StaticString, _ shape: ResultShape, isRequired: Bool = true) {
    self.name = "\(name)"
    self.shape = shape
    self.isRequired = isRequired
  }

  /// The same member, which a result may lack.
  var optional: ResultMember { ResultMember(self, isRequired: false) }

  private init(_ member: ResultMember, isRequired: Bool) {
    name = member.name
    shape = member.shape
    self.isRequired = isRequired
  }

  static func text(_ name: StaticString) -> ResultMember { ResultMember(name, .value(.text)) }
  static func integer(_ name: StaticString) -> ResultMember {
    ResultMember(name, .value(.integer))
  }
  static func truth(_ name: StaticString) -> ResultMember { ResultMember(name, .value(.truth)) }
  static func time(_ name: StaticString) -> ResultMember { ResultMember(name, .value(.time)) }
  static func decimal(_ name: StaticString) -> ResultMember {
    ResultMember(name, .value(.decimal))
  }
  static func list(_ name: StaticString, of shape: ResultShape) -> ResultMember {
    ResultMember(name, .list(shape))
  }
}

extension ResultShape {
  /// Whether a value of this shape may have something at a path: names and indexes with periods
  /// between, as `--get` takes them.
  package func allows(_ path: String) -> Bool {
    var shape = self
    for step in path.split(separator: ".", omittingEmptySubsequences: false) {
      guard let next = shape.shape(at: step) else { return false }
      shape = next
    }
    return true
  }

  /// The shape of what a name or an index leads to; nil where there is no such thing.
  private func shape(at step: Substring) -> ResultShape? {
    switch self {
    case .any: return .any
    case .value: return nil
    case .map(let shape): return shape
    case .list(let shape):
      return step.utf8.allSatisfy { (0x30...0x39).contains($0) } ? shape : nil
    case .object(let members): return members.first { $0.name == step }?.shape
    }
  }

  /// Every path to something that a value of this shape may have, elements of lists as the first.
  package var paths: [String] {
    switch self {
    case .any, .value, .map: return []
    case .list(let shape): return ["0"] + shape.paths.map { "0." + $0 }
    case .object(let members):
      return members.flatMap { member in
        [member.name] + member.shape.paths.map { "\(member.name).\($0)" }
      }
    }
  }

  /// The first path of a value that this shape does not allow; nil where it allows all.
  package func firstUnknownPath(of value: JSONValue) -> String? {
    switch value.kind {
    case .object:
      for (name, member) in value.members {
        let name = name.string ?? ""
        guard let shape = shape(at: Substring(name)) else { return name }
        if let path = shape.firstUnknownPath(of: member) { return "\(name).\(path)" }
      }
    case .array:
      for (place, element) in value.elements.enumerated() {
        guard let shape = shape(at: "\(place)") else { return "\(place)" }
        if let path = shape.firstUnknownPath(of: element) { return "\(place).\(path)" }
      }
    default: break
    }
    return nil
  }
}
