internal import CreditSystem

/// Finds the files in a folder and its subfolders, in the byte order of names.
///
/// Links are followed, but no folder is entered twice, so that a circle of them ends.
struct FolderWalk {
  let system: any SystemCalls
  /// How the names of files end that are wanted.
  let endings: [String]
  var entered: Set<FileStatus.Identity> = []

  /// Calls `body` with the path of each file.
  /// - Parameter path: a folder.
  /// - Parameter failed: called with each failure; the walk continues.
  mutating func visit(
    _ path: String, failed: (SystemError) -> Void, _ body: (String) -> Void
  ) {
    var names: [String]
    do throws(SystemError) {
      guard entered.insert(try status(at: path, .directory).identity).inserted else { return }
      names = try system.names(in: path)
    } catch {
      return failed(error)
    }
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let folder = path.utf8.last == UInt8(ascii: "/") ? path : path + "/"
    for name in names {
      let path = folder + name
      do throws(SystemError) {
        var kind = try system.status(at: path)?.kind
        // A name that is not UTF-8 is another one here; any other file vanished meanwhile.
        if kind == nil, name.unicodeScalars.contains("\u{fffd}") {
          throw SystemError.notText(path)
        }
        // A dangling link is not a log.
        if kind == .symbolicLink { kind = try? status(at: path, .namedFile).kind }
        switch kind {
        case .directory: visit(path, failed: failed, body)
        case .regular where endings.contains(where: name.hasSuffix): body(path)
        case .regular, .symbolicLink, .other, nil: break
        }
      } catch {
        failed(error)
      }
    }
  }

  /// Returns the status of the file at a path, following links.
  private func status(at path: String, _ mode: OpenMode) throws(SystemError) -> FileStatus {
    let file = try system.openFile(path, mode)
    defer { system.closeFile(file) }
    return try system.status(of: file)
  }
}

/// Which text records are from.
public struct LogFile {
  /// The path, as it was named or found; nil for standard input.
  public let path: String?

  /// The names that the path is made of, the file's own last.
  let components: [String]

  public init(path: String?) {
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

  /// Its name in messages.
  public var displayName: String { path ?? "standard input" }
}
