/// The ids and aliases of a list of models. Groups one model's entries of different times.
struct ModelNames: ~Copyable, Sendable {
  /// The models of one id, by their places in the list.
  final class Group: Sendable {
    let places: [Int]

    init(_ places: [Int]) { self.places = places }
  }

  /// The models with several entries.
  private(set) var dated: [Group] = []
  private var names: NameTable
  private var places: [Int] = []
  /// For each such place, the group that it begins, or -1. Empty if there are no groups.
  private var groups: [Int] = []

  init(capacity: Int = 0) { names = NameTable(expecting: capacity) }

  /// Returns the first model of a name's id, and its group if it has one. A name that is not listed
  /// belongs to the alias that covers it.
  func find(covered name: Name) -> (place: Int, dated: Int?)? {
    find(name) ?? name.datedAlias.flatMap { find($0) }
  }

  /// Returns the first model of a name's id, and its group if it has one.
  func find(_ name: Name) -> (place: Int, dated: Int?)? {
    guard let number = names.number(of: name) else { return nil }
    let first = places[number]
    guard !groups.isEmpty, groups[first] >= 0 else { return (first, nil) }
    return (first, groups[first])
  }

  mutating func add(_ model: PricedModel, at place: Int, of models: [PricedModel])
    throws(CatalogProblem)
  {
    if !groups.isEmpty { groups.append(-1) }
    var first = place
    if let found = find(model.id) {
      guard models[found.place].id == model.id else {
        throw .takenModelName(place: place, model.id)
      }
      try join(model, at: place, of: models, found.place, group: found.dated)
      first = found.place
    } else if names.add(model.id) {
      places.append(place)
    }
    for (number, alias) in model.aliases.enumerated() {
      if names.add(alias) {
        places.append(first)
      } else if find(alias)?.place != first || alias == model.id
        || model.aliases[..<number].contains(alias)
      {
        throw .takenModelName(place: place, alias)
      }
    }
  }

  /// Adds a further price of a model.
  private mutating func join(
    _ model: PricedModel, at place: Int, of models: [PricedModel], _ first: Int, group: Int?
  ) throws(CatalogProblem) {
    let others = group.map { dated[$0].places } ?? [first]
    guard others.allSatisfy({ models[$0].from != model.from }) else {
      throw .takenTime(place: place)
    }
    if let group {
      dated[group] = Group(others + [place])
    } else {
      if groups.isEmpty { groups = [Int](repeating: -1, count: place + 1) }
      groups[first] = dated.count
      dated.append(Group(others + [place]))
    }
  }
}

/// Models by catalog ids, or by prefixes of them that end in `*`.
public struct ModelPatterns: Equatable, Sendable {
  /// In their written form, at least one.
  public let names: [Name]

  public static let countLimit = 64
  /// The most bytes of all of them: they are parts of records.
  public static let byteLimit = 2048

  /// - Parameter names: from a record.
  public init(trusted names: [Name]) { self.names = names }

  /// - Throws: the fault, to follow their name in a message.
  public init(_ texts: [String]) throws(Problem) {
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

  public struct Problem: Error, Equatable {
    public let text: String
  }
}

extension Name {
  /// Whether patterns cover a model.
  /// - Parameters:
  ///   - model: its id in the catalog; nil for none, which is only covered if there are no
  ///     patterns.
  ///   - patterns: ids, or prefixes that end in `*`; nil covers all.
  static func covers(_ model: Name?, by patterns: [Name]?) -> Bool {
    guard let patterns else { return true }
    return model.map { model in patterns.contains { $0.covers(model) } } ?? false
  }

  /// Returns true if this pattern covers a model. A pattern is an id, or a prefix that ends in `*`.
  public func covers(_ model: Name) -> Bool {
    let pattern = text.utf8
    guard pattern.last == UInt8(ascii: "*") else { return self == model }
    return model.text.utf8.starts(with: pattern.dropLast())
  }
}
