/// Which text records are from.
package struct LogFile {
  /// The path, as it was named or found; nil for standard input.
  package let path: String?

  /// The names that the path is made of, the file's own last.
  let components: [String]

  package init(path: String?) {
    self.path = path
    let names = path?.utf8.split(separator: UInt8(ascii: "/")) ?? []
    components = names.map { String($0) ?? "" }
  }

  /// The file's name without its ending; nil for standard input.
  var stem: String? {
    guard let name = components.last else { return nil }
    guard let point = name.utf8.firstIndex(of: UInt8(ascii: ".")), point > name.startIndex
    else { return name }
    return String(name[..<point])
  }

  /// Returns the name of the folder within the innermost `name`, or nil if absent.
  func folder(within name: String) -> String? {
    let folders = components.dropLast()
    guard let place = folders.lastIndex(of: name), place + 1 < folders.endIndex else { return nil }
    return folders[place + 1]
  }

  /// Returns the name of the folder around the innermost `name`, or nil if absent.
  func folder(around name: String) -> String? {
    let folders = components.dropLast()
    guard let place = folders.lastIndex(of: name), place > folders.startIndex else { return nil }
    return folders[place - 1]
  }

  /// What a message calls it.
  package var displayName: String { path ?? "standard input" }
}
