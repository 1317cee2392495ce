/// Which models something holds for: catalog ids, or prefixes of them that end in `*`.
package struct ModelPatterns: Hashable, Sendable {
  /// As they were written, at least one.
  package let names: [Name]

  package static let countLimit = 64
  /// The most bytes that all of them have together: they are parts of records.
  package static let byteLimit = 2048

  /// - Parameter names: as a record has them.
  package init(trusted names: [Name]) { self.names = names }

  /// - Throws: what is wrong with them, to follow their name in a message.
  package init(_ texts: [String]) throws(Problem) {
    guard (1...Self.countLimit).contains(texts.count) else {
      throw Problem(text: "must be from 1 to \(Self.countLimit) models")
    }
    var count = 0
    for (place, text) in texts.enumerated() {
      if Name.problem(with: text, limit: Name.idLimit) != nil || text.dropLast().contains("*") {
        throw Problem(
          text: "must be ids of models, or beginnings of ids before a *; not \(quoted(text))")
      }
      if texts[..<place].contains(where: { $0.hasSameBytes(as: text) }) {
        throw Problem(text: "must not have \(quoted(text)) twice")
      }
      count += text.utf8.count
    }
    if count > Self.byteLimit {
      throw Problem(text: "must have at most \(Self.byteLimit) bytes together")
    }
    names = texts.map(Name.init(trusted:))
  }

  package struct Problem: Error, Equatable {
    package let text: String
  }

  /// Whether a model is one of them.
  /// - Parameter model: its id in the catalog.
  package func include(_ model: Name) -> Bool { Name.covers(model, by: names) }
}

extension Name {
  /// Whether a model is one of those that patterns name.
  /// - Parameters:
  ///   - model: its id in the catalog; nil for none, which only what has no patterns covers.
  ///   - patterns: ids, or prefixes that end in `*`; nil covers all.
  static func covers(_ model: Name?, by patterns: [Name]?) -> Bool {
    guard let patterns else { return true }
    guard let model else { return false }
    return patterns.contains { $0.covers(model) }
  }

  /// Returns true if this pattern covers a model. A pattern is an id, or a prefix that ends in `*`.
  func covers(_ model: Name) -> Bool {
    let pattern = text.utf8
    guard pattern.last == UInt8(ascii: "*") else { return self == model }
    return model.text.utf8.starts(with: pattern.dropLast())
  }
}
