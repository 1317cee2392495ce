internal import CreditModel

/// A shape as JSON Schema, draft 2020-12.
public struct JSONSchema: ~Copyable {
  private var writer = JSONWriter()
  /// The shapes that have a name, in the order in which they are met.
  private var named: [(name: String, shape: JSONShape)] = []
  private let isClosed: Bool

  private init(isClosed: Bool) { self.isClosed = isClosed }

  /// Returns the schema's text, laid out for reading, with its newline.
  /// - Parameters:
  ///   - title: a description.
  ///   - isClosed: true if an undeclared member is an error, as in a policy. Results gain members:
  ///     a schema printed earlier has to allow later ones.
  public static func text(of shape: JSONShape, title: String, isClosed: Bool = false) -> String {
    var schema = JSONSchema(isClosed: isClosed)
    schema.writer.beginObject()
    schema.writer.member("$schema", "https://json-schema.org/draft/2020-12/schema")
    schema.writer.member("title", title)
    schema.keywords(of: shape)
    if !schema.named.isEmpty {
      schema.writer.key("$defs")
      schema.writer.beginObject()
      var place = 0
      // Each may name others, which then follow.
      while place < schema.named.count {
        schema.name(schema.named[place].name)
        schema.schema(of: schema.named[place].shape)
        place += 1
      }
      schema.writer.endObject()
    }
    schema.writer.endObject()
    let compact = schema.writer.withBytes { [UInt8]($0) }
    guard let document = try? JSONDocument(compact) else { return "" }
    var pretty = JSONWriter()
    document.withRoot { JSONPretty.write($0, into: &pretty) }
    pretty.endLine()
    return pretty.string
  }

  private mutating func schema(of shape: JSONShape, summary: String = "") {
    writer.beginObject()
    if !summary.isEmpty { writer.member("description", summary) }
    keywords(of: shape)
    writer.endObject()
  }

  private mutating func keywords(of shape: JSONShape) {
    switch shape {
    case .any: break
    case .value(let kind): keywords(of: kind)
    case .named(let name, let shape):
      writer.member("$ref", "#/$defs/" + name)
      if !named.contains(where: { $0.name == name }) { named.append((name, shape)) }
    case .anyOf(let shapes):
      writer.key("anyOf")
      writer.beginArray()
      for shape in shapes { schema(of: shape) }
      writer.endArray()
    case .list(let element):
      type("array")
      writer.key("items")
      schema(of: element)
    case .map(let element):
      type("object")
      writer.key("additionalProperties")
      schema(of: element)
    case .object(let members): properties(members, isClosed: isClosed)
    case .open(let members): properties(members, isClosed: false)
    case .choice(let members, let others):
      properties(members, besides: others, isClosed: isClosed)
      writer.key("oneOf")
      writer.beginArray()
      for other in others { required([other], alone: true) }
      writer.endArray()
    }
  }

  private mutating func properties(
    _ members: [JSONMember], besides others: [JSONMember] = [], isClosed: Bool
  ) {
    type("object")
    writer.key("properties")
    writer.beginObject()
    for member in members + others {
      name(member.name)
      schema(of: member.shape, summary: member.summary)
    }
    writer.endObject()
    required(members.filter(\.isRequired))
    if isClosed { writer.member("additionalProperties", false, Truth.self) }
  }

  /// - Parameter alone: true if this is the whole schema.
  private mutating func required(_ members: [JSONMember], alone: Bool = false) {
    if members.isEmpty { return }
    if alone { writer.beginObject() }
    writer.member("required", members.map(\.name), List<Text>.self)
    if alone { writer.endObject() }
  }

  private mutating func keywords(of kind: JSONShape.Kind) {
    switch kind {
    case .text: type("string")
    case .integer: type("integer")
    case .truth: type("boolean")
    case .null: type("null")
    case .yes: writer.member("const", true, Truth.self)
    case .time:
      type("string")
      writer.member("format", "date-time")
    case .timeOrDay: pattern(#"^[0-9]{4}-[0-9]{2}(-[0-9]{2}([Tt ].+)?)?$"#)
    case .askedTime:
      pattern(#"^([0-9]{4}-[0-9]{2}(-[0-9]{2}([Tt ].+)?)?|now|today|yesterday|tomorrow)$"#)
    case .span: pattern("^[0-9]+[smhd]$")
    case .decimal: pattern(#"^-?[0-9]+(\.[0-9]+)?$"#)
    case .amount: pattern(Self.amountPattern)
    case .words(let words):
      type("string")
      writer.member("enum", words, List<Text>.self)
    case .range(let range):
      type("integer")
      // Bounds that all numbers of 64 bits have are left out.
      if range.lowerBound != .min { writer.member("minimum", range.lowerBound, Whole.self) }
      if range.upperBound != .max { writer.member("maximum", range.upperBound, Whole.self) }
    case .wholeOrDecimal: amount("integer")
    case .numberOrDecimal: amount("number")
    }
  }

  private mutating func amount(_ number: String) {
    writer.key("anyOf")
    writer.beginArray()
    writer.beginObject()
    type(number)
    writer.member("minimum", 0, Whole.self)
    writer.endObject()
    writer.beginObject()
    pattern(Self.amountPattern)
    writer.endObject()
    writer.endArray()
  }

  private static let amountPattern = #"^[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$"#

  private mutating func pattern(_ pattern: String) {
    type("string")
    writer.member("pattern", pattern)
  }

  private mutating func type(_ name: String) { writer.member("type", name) }

  private mutating func name(_ name: String) { name.withUTF8Bytes { writer.key(utf8: $0) } }
}
