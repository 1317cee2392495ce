internal import CreditCommand
public import CreditSystem

/// A manual page or a completion script, made from a template and the tools' declarations.
///
/// A template is a page in `man/src` or a script in `completions/src`, under the name of the file
/// that is made of it. It has places, `@NAME@`. `PageText` or `CompletionText` has the text for a
/// place by its name; any other place is filled with the file of that name beside the template.
/// These texts may have places, too. A file that is a part of pages ends in `.mdoc`. `PageDetails`
/// are in files that end in `.txt`.
public struct GeneratedFile: Sendable {
  /// Its path, relative to the package's root.
  public let path: String
  public let text: String

  /// All of them, from the templates below the package's root.
  public static func all(in root: String) throws(SystemError) -> [GeneratedFile] {
    var files: [GeneratedFile] = []
    let folder = "\(root)/man/src"
    let details = try PageDetails(in: folder)
    for name in try PosixSystem().names(in: folder)
    where !name.hasSuffix(".mdoc") && !name.hasSuffix(".txt") {
      let tool = ToolSuite.all.first { name == "\($0.name).1" }
      let template = Template(folder: folder) { PageText.text($0, tool, details) }
      files.append(GeneratedFile(path: "man/\(name)", text: try template.filled(name)))
    }
    for name in try PosixSystem().names(in: "\(root)/completions/src") {
      let template = Template(folder: "\(root)/completions/src") {
        CompletionText.text($0, of: name)
      }
      files.append(GeneratedFile(path: "completions/\(name)", text: try template.filled(name)))
    }
    return files
  }
}

/// A folder of files with places, and the texts for these.
struct Template {
  let folder: String
  /// The text for a place. Nil if the place has the name of a file.
  let text: (String) -> String?

  /// The text of a file in the folder, with its places filled.
  func filled(_ name: String) throws(SystemError) -> String {
    try fill(TextFile.read("\(folder)/\(name)"))
  }

  private func fill(_ template: String) throws(SystemError) -> String {
    let parts = template.split(separator: "@", omittingEmptySubsequences: false)
    var filled = ""
    var isPlace = false
    for (index, part) in parts.enumerated() {
      let wasPlace = isPlace
      let isName =
        !part.isEmpty && part.allSatisfy { $0.isLowercase || $0 == "-" || $0 == "." }
      isPlace = index > 0 && !wasPlace && index < parts.count - 1 && isName
      if isPlace, let text = text(String(part)) {
        filled += try fill(text)
      } else if isPlace {
        // The place has a line of its own.
        filled += try self.filled(String(part)).dropLast()
      } else {
        filled += (index == 0 || wasPlace ? "" : "@") + part
      }
    }
    return filled
  }
}
