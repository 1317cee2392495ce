internal import CreditSystem

/// Finds the files in a folder and the folders within, in the order of their names' bytes.
///
/// Links are followed, but no folder is entered twice, so that a circle of them ends.
struct FolderWalk {
  private let system: any SystemCalls
  private let endings: [String]
  private var entered: Set<FileStatus.Identity> = []

  /// - Parameter endings: how the names of files end that are wanted.
  init(_ system: any SystemCalls, endings: [String]) {
    self.system = system
    self.endings = endings
  }

  /// Calls `body` with the path of each file.
  /// - Parameter path: a folder.
  /// - Parameter failed: is given each failure; the walk goes on.
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
    for name in names { visit(name, in: folder, failed: failed, body) }
  }

  private mutating func visit(
    _ name: String, in folder: String, failed: (SystemError) -> Void, _ body: (String) -> Void
  ) {
    let path = folder + name
    let isWanted = endings.contains { name.utf8.hasSuffix($0.utf8) }
    do throws(SystemError) {
      guard var kind = try system.status(at: path)?.kind else {
        // A name that is no UTF-8 is another one here; any other name went away meanwhile.
        if name.unicodeScalars.contains("\u{fffd}") { throw SystemError.notText(path) }
        return
      }
      // A link that leads nowhere is no log.
      if kind == .symbolicLink {
        guard let target = try? status(at: path, .namedFile) else { return }
        kind = target.kind
      }
      switch kind {
      case .directory: visit(path, failed: failed, body)
      case .regular where isWanted: body(path)
      case .regular, .symbolicLink, .other: break
      }
    } catch {
      failed(error)
    }
  }

  /// Returns the status of the file at a path, following links.
  private func status(at path: String, _ mode: OpenMode) throws(SystemError) -> FileStatus {
    let file = try system.openFile(path, mode)
    defer { system.closeFile(file) }
    return try system.status(of: file)
  }
}

extension String.UTF8View {
  fileprivate func hasSuffix(_ ending: String.UTF8View) -> Bool {
    count >= ending.count && suffix(ending.count).elementsEqual(ending)
  }
}
