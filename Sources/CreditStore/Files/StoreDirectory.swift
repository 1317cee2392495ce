internal import CreditModel
public import CreditSystem

/// The directory of a store: makes, replaces and opens its files safely.
///
/// Methods throw ``StoreFault/system(_:)`` unless they state another error.
public struct StoreDirectory {
  /// The path with a slash behind it: most uses add a name.
  private let start: String

  public let system: any SystemCalls

  /// Whether no file in it may be made or changed: attempts fail as on a read-only disk.
  let isReadOnly: Bool

  public init(path: String, system: any SystemCalls, isReadOnly: Bool = false) {
    start = path + "/"
    self.system = system
    self.isReadOnly = isReadOnly
  }

  public var path: String { String(start.dropLast()) }

  public func path(of name: String) -> String { start + name }

  /// Makes the directory and its missing parents, each for its owner alone, and syncs their names.
  /// An existing directory stays as it is.
  public func create() throws(StoreFault) {
    let above = Self.parent(of: path).map { StoreDirectory(path: $0, system: system) }
    var isNew: Bool
    do {
      isNew = try make()
    } catch {
      guard error.isMissing, let above else { throw .system(error) }
      try above.create()
      isNew = try calling { () throws(SystemError) in try make() }
    }
    let folder = above ?? StoreDirectory(path: ".", system: system)
    do throws(StoreFault) {
      // Another process may have made the name, and been killed before syncing.
      try folder.sync()
    } catch {
      guard !isNew, case .system(let reason) = error, reason.isForbidden else { throw error }
    }
  }

  /// - Returns: false if the directory exists. Another process may make it at the same time.
  private func make() throws(SystemError) -> Bool {
    do {
      try system.makeDirectory(path)
      return true
    } catch {
      guard error.isPresent else { throw error }
      return false
    }
  }

  /// Returns the path without its last component; nil if it has only one.
  static func parent(of path: String) -> String? {
    let bytes = path.utf8
    guard let end = bytes.lastIndex(where: { $0 != UInt8(ascii: "/") }),
      let slash = bytes[...end].lastIndex(of: UInt8(ascii: "/"))
    else { return nil }
    return slash == bytes.startIndex ? "/" : String(path[..<slash])
  }

  /// Opens a plain file. A new file is shared as the store is (see ``share(_:)``).
  /// - Throws: also ``StoreFault/unexpectedFile(name:kind:)`` if the name belongs to anything else,
  ///   which is not followed, waited for or read.
  public func open(_ name: String, _ mode: OpenMode) throws(StoreFault) -> FileDescriptor {
    if mode == .updateOrCreate { return try openOrCreate(name) }
    let file = try openPlain(name, mode)
    if mode == .create { share(file) }
    return file
  }

  /// A unique name for a file or folder of this process.
  var freeName: String { "credit-tools-" + String(system.randomWord(), radix: 36) }

  /// Makes a file without a name for this process alone; it vanishes with the process.
  public func openNameless() throws(StoreFault) -> FileDescriptor {
    let name = freeName
    let file = try openPlain(name, .create)
    try removeFile(name)
    return file
  }

  /// Opens a file, or makes it if it is missing; another process may make it at the same time.
  private func openOrCreate(_ name: String) throws(StoreFault) -> FileDescriptor {
    do throws(StoreFault) {
      return try openPlain(name, .update)
    } catch {
      guard case .system(let reason) = error, reason.isMissing else { throw error }
    }
    do throws(StoreFault) {
      return try open(name, .create)
    } catch {
      guard case .system(let reason) = error, reason.isPresent else { throw error }
    }
    return try openPlain(name, .update)
  }

  private func openPlain(_ name: String, _ mode: OpenMode) throws(StoreFault) -> FileDescriptor {
    if mode != .read { try checkIsWritable(name) }
    let file: FileDescriptor
    do throws(StoreFault) {
      file = try FileDescriptor(path(of: name), mode, system)
    } catch {
      if case .system(let reason) = error, reason.isWrongKind,
        let kind = try status(of: name)?.kind, kind != .regular
      {
        throw .unexpectedFile(name: name, kind: kind)
      }
      throw error
    }
    let kind = file.opened.kind
    guard kind == .regular else { throw .unexpectedFile(name: name, kind: kind) }
    return file
  }

  private func checkIsWritable(_ name: String) throws(StoreFault) {
    if isReadOnly { throw .system(.readOnly(name)) }
  }

  /// Returns the status of a name in this directory; nil if it is free.
  public func status(of name: String) throws(StoreFault) -> FileStatus? {
    try calling { () throws(SystemError) in try system.status(at: path(of: name)) }
  }

  public func names() throws(StoreFault) -> [String] {
    try calling { () throws(SystemError) in try system.names(in: path) }
  }

  /// - Throws: ``StoreFault/system(_:)`` with `EFBIG` if it is longer.
  public func readFile(_ name: String, limit: Int) throws(StoreFault) -> [UInt8] {
    try open(name, .read).contents(limit: limit)
  }

  static let temporaryName = ".replacement"

  /// Makes or replaces a file in one step: after a crash it has the old bytes or the new ones.
  /// Requires the exclusive lock.
  public func replaceFile(_ name: String, with bytes: [UInt8]) throws(StoreFault) {
    // A killed process may have left one.
    try removeFile(Self.temporaryName)
    do throws(StoreFault) {
      let file = try open(Self.temporaryName, .create)
      try bytes.span.withBytes { (bytes) throws(StoreFault) in try file.write(bytes, at: 0) }
      try file.sync()
      try rename(Self.temporaryName, to: name)
    } catch {
      try? removeFile(Self.temporaryName)
      throw error
    }
    try sync()
  }

  /// Renames a file, and replaces the file of the new name. Durable after ``sync()``.
  public func rename(_ name: String, to newName: String) throws(StoreFault) {
    try checkIsWritable(newName)
    try calling { () throws(SystemError) in
      try system.renameFile(path(of: name), to: path(of: newName))
    }
  }

  /// Removes a file if it exists. Durable after ``sync()``.
  public func removeFile(_ name: String) throws(StoreFault) {
    try checkIsWritable(name)
    do {
      try system.removeFile(path(of: name))
    } catch {
      if !error.isMissing { throw .system(error) }
    }
  }

  public func sync() throws(StoreFault) { try openSelf().sync() }

  /// Returns the name of the directory's network file system; nil on a local disk.
  public func networkFileSystem() throws(StoreFault) -> String? {
    let directory = try openSelf()
    return try directory.naming { () throws(SystemError) in
      try system.networkFileSystem(of: directory.number)
    }
  }

  func openSelf() throws(StoreFault) -> FileDescriptor {
    try FileDescriptor(path, .directory, system)
  }

  // MARK: Owners and caches

  /// Gives a new file the folder's owner, and the journal's mode, if allowed.
  ///
  /// So the store stays usable for its users after another user, such as root, has written to it. A
  /// file that cannot get the folder's group is not opened to any other group.
  func share(_ file: borrowing FileDescriptor) {
    guard let folder = try? openSelf().opened.access else { return }
    let own = file.opened.access
    let journal = (try? status(of: JournalFile.name))??.access
    var wanted = FileAccess(user: folder.user, group: folder.group, mode: journal?.mode ?? own.mode)
    if own.user != wanted.user || own.group != wanted.group {
      if !give(file, to: wanted.user, wanted.group) && own.group != wanted.group
        && !give(file, to: nil, wanted.group)
      {
        wanted.mode &= ~0o070
      }
    }
    if own.mode != wanted.mode { try? system.setMode(file.number, wanted.mode) }
  }

  private func give(_ file: borrowing FileDescriptor, to user: UInt32?, _ group: UInt32) -> Bool {
    (try? system.setOwner(file.number, user: user, group: group)) != nil
  }

  /// How long writing a cache may take before its file counts as abandoned.
  private static let cacheMilliseconds: Int64 = 60_000

  /// Replaces a file that can be made again from others. Readers take no lock: the file appears
  /// whole. One process at a time makes it, while others do without. Nothing is synced.
  func replaceCache(_ name: String, with bytes: [UInt8]) throws(StoreFault) {
    let temporary = name + ".new"
    // The file of a killed process. A process that is merely slow then renames another's file, or
    // none: an incomplete cache only costs time.
    if let left = try status(of: temporary) {
      let age = system.currentMilliseconds() - left.changedNanoseconds / 1_000_000
      if age > Self.cacheMilliseconds { try removeFile(temporary) }
    }
    do throws(StoreFault) {
      let file = try open(temporary, .create)
      try bytes.span.withBytes { (bytes) throws(StoreFault) in try file.write(bytes, at: 0) }
      try rename(temporary, to: name)
    } catch {
      // Another process may be writing it.
      if case .system(let reason) = error, reason.isPresent { throw error }
      try? removeFile(temporary)
      throw error
    }
  }
}

/// Runs system calls that name their own path.
func calling<Result>(_ body: () throws(SystemError) -> Result) throws(StoreFault) -> Result {
  do {
    return try body()
  } catch {
    throw .system(error)
  }
}
