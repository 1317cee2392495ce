public import CreditModel

public enum Whole: MemberForm {
  @inline(__always)
  public static func write(_ value: borrowing Int64, to writer: inout JSONWriter) {
    writer.integer(copy value)
  }
  @inline(__always)
  public static func read(_ reader: inout RecordReader) -> Int64? { reader.cursor.integer() }
  public static var shape: JSONShape { .value(.integer) }
}

public enum Count: MemberForm {
  public static func write(_ value: borrowing Int, to writer: inout JSONWriter) {
    writer.integer(Int64(copy value))
  }
  public static func read(_ reader: inout RecordReader) -> Int? { Int(reader.cursor.integer()) }
  public static var shape: JSONShape { .value(.integer) }
}

/// `true`. An object lacks the member if it does not hold.
enum Yes: MemberForm {
  @inline(__always)
  static func write(_ value: borrowing Void, to writer: inout JSONWriter) { writer.bool(true) }
  @inline(__always)
  static func read(_ reader: inout RecordReader) -> Void? { reader.cursor.expect("true") }
  static var shape: JSONShape { .value(.yes) }
}

public enum Truth: MemberForm {
  @inline(__always)
  public static func write(_ value: borrowing Bool, to writer: inout JSONWriter) {
    writer.bool(copy value)
  }
  public static func read(_ reader: inout RecordReader) -> Bool? {
    reader.cursor.skip("true") ? true : reader.cursor.skip("false") ? false : nil
  }
  public static var shape: JSONShape { .value(.truth) }
}

public enum Sum: MemberForm {
  public static func write(_ value: borrowing Int128, to writer: inout JSONWriter) {
    String(copy value).withUTF8Bytes { writer.raw($0) }
  }
  public static func read(_ reader: inout RecordReader) -> Int128? {
    Int128(reader.cursor.integer())
  }
  public static var shape: JSONShape { .value(.integer) }
}

public enum Time: MemberForm {
  @inline(__always)
  public static func write(_ value: borrowing Timestamp, to writer: inout JSONWriter) {
    writer.timestamp(copy value)
  }
  @inline(__always)
  public static func read(_ reader: inout RecordReader) -> Timestamp? { reader.time() }
  public static var shape: JSONShape { .value(.time) }
}

/// A span of time, in milliseconds.
enum Span: MemberForm {
  static func write(_ value: borrowing TimeSpan, to writer: inout JSONWriter) {
    writer.integer(value.milliseconds)
  }
  static func read(_ reader: inout RecordReader) -> TimeSpan? {
    TimeSpan(milliseconds: reader.cursor.integer())
  }
  static var shape: JSONShape { .value(.integer) }
}

public enum Text: MemberForm {
  @inline(__always)
  public static func write(_ value: borrowing String, to writer: inout JSONWriter) {
    writer.string(copy value)
  }
  @inline(__always)
  public static func read(_ reader: inout RecordReader) -> String? { reader.string() }
  public static var shape: JSONShape { .value(.text) }
}

/// Values of one form, at least one.
public enum List<Element: MemberForm>: MemberForm {
  public static func write(_ value: borrowing [Element.Value], to writer: inout JSONWriter) {
    writer.beginArray()
    for element in copy value { Element.write(element, to: &writer) }
    writer.endArray()
  }
  public static func read(_ reader: inout RecordReader) -> [Element.Value]? {
    var list: [Element.Value] = []
    reader.cursor.expect("[")
    repeat {
      guard let element = Element.read(&reader) else { return nil }
      list.append(element)
    } while reader.cursor.skip(",")
    reader.cursor.expect("]")
    return list
  }
  public static var shape: JSONShape { .list(Element.shape) }
}

/// The form of a name. The forms differ in which texts are names.
public protocol NameForm: MemberForm where Value == Name {}

extension NameForm {
  @inline(__always)
  public static func write(_ value: borrowing Name, to writer: inout JSONWriter) {
    writer.string(value.text)
  }
  public static var shape: JSONShape { .value(.text) }
}

/// An id, or a key.
enum ID: NameForm {
  @inline(__always)
  static func read(_ reader: inout RecordReader) -> Name? {
    RecordTexts.made(reader.cursor.name(limit: Name.idLimit))
  }
}

public enum AccountName: NameForm {
  @inline(__always)
  public static func read(_ reader: inout RecordReader) -> Name? { reader.accountName() }
}

/// The name of an account; of one that was removed from the books it is empty.
enum ParentName: NameForm {
  static func read(_ reader: inout RecordReader) -> Name? {
    reader.cursor.skip("\"\"") ? .nobody : reader.accountName()
  }
}

/// The name of a model, product, plan or limit, as the policy has it.
enum PolicyName: NameForm {
  @inline(__always)
  static func read(_ reader: inout RecordReader) -> Name? {
    reader.texts.name(reader.cursor.text())
  }
}

/// The models that a grant pays for.
enum Models: MemberForm {
  static func write(_ value: borrowing ModelPatterns, to writer: inout JSONWriter) {
    List<PolicyName>.write(value.names, to: &writer)
  }
  static func read(_ reader: inout RecordReader) -> ModelPatterns? {
    List<PolicyName>.read(&reader).map(ModelPatterns.init(trusted:))
  }
  static var shape: JSONShape { List<PolicyName>.shape }
}

/// One of the words that a type has.
enum Word<Choice: RawRepresentable<String> & CaseIterable>: MemberForm {
  static func write(_ value: borrowing Choice, to writer: inout JSONWriter) {
    writer.string(value.rawValue)
  }
  static func read(_ reader: inout RecordReader) -> Choice? { Choice(rawValue: reader.string()) }
  static var shape: JSONShape { .value(.words(Choice.allCases.map(\.rawValue))) }
}

/// A word of a type; a schema describes it as any text.
public enum WordText<Choice: RawRepresentable<String>>: MemberForm {
  public static func write(_ value: borrowing Choice, to writer: inout JSONWriter) {
    writer.string(value.rawValue)
  }
  public static func read(_ reader: inout RecordReader) -> Choice? {
    Choice(rawValue: reader.string())
  }
  public static var shape: JSONShape { .value(.text) }
}

/// An exact amount of dollars, of any number of digits.
enum Dollars: MemberForm {
  @inline(__always)
  static func write(_ value: borrowing String, to writer: inout JSONWriter) {
    writer.string(copy value)
  }
  @inline(__always)
  static func read(_ reader: inout RecordReader) -> String? {
    let text = reader.cursor.text()
    return DecimalDigits.isWritten(text) ? String(decoding: text, as: UTF8.self) : nil
  }
  static var shape: JSONShape { .value(.decimal) }
}

enum ExactNumber: MemberForm {
  static func write(_ value: borrowing ExactDecimal, to writer: inout JSONWriter) {
    writer.string(value.text)
  }
  static func read(_ reader: inout RecordReader) -> ExactDecimal? {
    let text = reader.string()
    let decimal = ExactDecimal(text: text)
    return decimal?.text == text ? decimal : nil
  }
  static var shape: JSONShape { .value(.decimal) }
}

/// A decimal that keeps the text in which it was given.
enum DecimalText: MemberForm {
  static func write(_ value: borrowing String, to writer: inout JSONWriter) {
    writer.string(copy value)
  }
  static func read(_ reader: inout RecordReader) -> String? {
    let text = reader.string()
    return ExactDecimal(text: text) == nil ? nil : text
  }
  static var shape: JSONShape { .value(.decimal) }
}

/// Labels of the user's own.
enum TagMap: MemberForm {
  static func write(_ value: borrowing Tags, to writer: inout JSONWriter) {
    writer.beginObject()
    value.forEachTag { name, value in
      name.withUTF8Bytes { writer.key(utf8: $0) }
      writer.string(value)
    }
    writer.endObject()
  }
  static func read(_ reader: inout RecordReader) -> Tags? {
    var list = TagList()
    reader.cursor.expect("{")
    repeat {
      let name = reader.string()
      reader.cursor.expect(":")
      let count = list.count
      reader.require(list.add(name, reader.string()) == nil && list.count > count)
    } while reader.cursor.skip(",")
    reader.cursor.expect("}")
    return list.tags
  }
  static var shape: JSONShape { .map(.value(.text)) }
}

enum Place: MemberForm {
  @inline(__always)
  static func write(_ value: borrowing RecordPosition, to writer: inout JSONWriter) {
    writer.integer(value.value)
  }
  @inline(__always)
  static func read(_ reader: inout RecordReader) -> RecordPosition? {
    RecordPosition(reader.cursor.integer())
  }
  static var shape: JSONShape { .value(.integer) }
}
