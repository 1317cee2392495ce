/// What later records of a text need of those before: names and texts of the format's own.
package struct LogMark: Equatable, Sendable {
  package private(set) var values: [String: String] = [:]

  /// - Parameter values: those that are nil are left out.
  init(_ values: [(name: String, value: String?)] = []) {
    for (name, value) in values { self.values[name] = value }
  }

  package init(values: [String: String]) { self.values = values }

  subscript(name: String) -> String? { values[name] }
}
