package import CreditSystem

/// The directory of a store, and the careful ways to make, replace and open the files in it.
///
/// Unless said otherwise methods throw ``StoreFault/system(_:)``.
package struct StoreDirectory {
  /// The directory's path.
  package let path: String

  /// The calls that everything in it is done with.
  package let system: any SystemCalls

  /// Whether nothing in it may be made or changed: what tries to fails as on a disk that is
  /// read-only.
  let isReadOnly: Bool

  package init(path: String, system: any SystemCalls, isReadOnly: Bool = false) {
    self.path = path
    self.system = system
    self.isReadOnly = isReadOnly
  }

  /// The path of the file of a name.
  package func path(of name: String) -> String { "\(path)/\(name)" }

  /// Makes the directory, and those above it that are missing, each for its owner alone, and brings
  /// their names to stable storage. A directory that is there stays as it is.
  package func create() throws(StoreFault) {
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
    if isNew { try folder.sync() } else { try folder.syncIfAllowed() }
  }

  /// - Returns: false where the directory is there. Another process may make it at the same time.
  private func make() throws(SystemError) -> Bool {
    do {
      try system.makeDirectory(path)
      return true
    } catch {
      guard error.isPresent else { throw error }
      return false
    }
  }

  /// Syncs the directory for a name that another process has made in it, and that process may have
  /// been killed before its own sync. A directory that may not be read has to do without.
  private func syncIfAllowed() throws(StoreFault) {
    do throws(StoreFault) {
      try sync()
    } catch {
      guard case .system(let reason) = error, reason.isForbidden else { throw error }
    }
  }

  /// The path without its last component; nil where it has one component only.
  static func parent(of path: String) -> String? {
    let bytes = path.utf8
    guard let end = bytes.lastIndex(where: { $0 != UInt8(ascii: "/") }),
      let slash = bytes[...end].lastIndex(of: UInt8(ascii: "/"))
    else { return nil }
    return slash == bytes.startIndex ? "/" : String(path[..<slash])
  }

  /// Opens a plain file. One that is made is shared as the store is (see ``share(_:)``).
  /// - Throws: also ``StoreFault/unexpectedFile(name:kind:)`` where something else has the name:
  ///   nothing is followed, waited for or read then.
  package func open(_ name: String, _ mode: OpenMode) throws(StoreFault) -> FileDescriptor {
    switch mode {
    case .updateOrCreate: return try openOrCreate(name)
    case .create:
      let file = try openPlain(name, mode)
      share(file)
      return file
    default: return try openPlain(name, mode)
    }
  }

  /// A name for a file or folder of this process, which no other one has.
  var freeName: String { "credit-tools-" + String(system.randomWord(), radix: 36) }

  /// Makes a file for this process alone, which has no name and goes with it.
  package func openNameless() throws(StoreFault) -> FileDescriptor {
    let name = freeName
    let file = try openPlain(name, .create)
    try removeFile(name)
    return file
  }

  /// Opens a file, or makes it where there is none; another process may make it at the same time.
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
    let number: Int32
    do {
      number = try system.openFile(path(of: name), mode)
    } catch {
      if error.isWrongKind { try checkIsPlain(name) }
      throw .system(error)
    }
    let file = FileDescriptor(system: system, number: number, name: path(of: name))
    let kind = try file.status().kind
    guard kind == .regular else { throw .unexpectedFile(name: name, kind: kind) }
    return file
  }

  private func checkIsWritable(_ name: String) throws(StoreFault) {
    if isReadOnly { throw .system(.readOnly(name)) }
  }

  private func checkIsPlain(_ name: String) throws(StoreFault) {
    guard let status = try status(of: name), status.kind != .regular else { return }
    throw .unexpectedFile(name: name, kind: status.kind)
  }

  /// What has the name in this directory; nil if nothing.
  package func status(of name: String) throws(StoreFault) -> FileStatus? {
    try calling { () throws(SystemError) in try system.status(at: path(of: name)) }
  }

  /// All names in the directory.
  package func names() throws(StoreFault) -> [String] {
    try calling { () throws(SystemError) in try system.names(in: path) }
  }

  /// Reads a whole file that may have at most `limit` bytes.
  /// - Throws: ``StoreFault/system(_:)`` with `EFBIG` where it is longer.
  package func readFile(_ name: String, limit: Int) throws(StoreFault) -> [UInt8] {
    let file = try open(name, .read)
    return try file.contents(try file.status(), limit: limit)
  }

  /// The name of a file that is to replace another one, or to become one.
  static let temporaryName = ".replacement"

  /// Makes a file, or replaces it in one step: a crash leaves the old bytes or the new, on disk.
  /// Under the exclusive lock.
  package func replaceFile(_ name: String, with bytes: [UInt8]) throws(StoreFault) {
    // A process that was killed may have left one.
    try removeFile(Self.temporaryName)
    do throws(StoreFault) {
      let file = try open(Self.temporaryName, .create)
      try bytes.span.withUnsafeBytes { (buffer) throws(StoreFault) in try file.write(buffer, at: 0)
      }
      try file.sync()
      try rename(Self.temporaryName, to: name)
    } catch {
      try? removeFile(Self.temporaryName)
      throw error
    }
    try sync()
  }

  /// Gives a file another name, in place of the file that has it. Durable after ``sync()``.
  package func rename(_ name: String, to newName: String) throws(StoreFault) {
    try checkIsWritable(newName)
    try calling { () throws(SystemError) in
      try system.renameFile(path(of: name), to: path(of: newName))
    }
  }

  /// Removes a file where there is one. Durable after ``sync()``.
  package func removeFile(_ name: String) throws(StoreFault) {
    try checkIsWritable(name)
    do {
      try system.removeFile(path(of: name))
    } catch {
      if !error.isMissing { throw .system(error) }
    }
  }

  /// Brings the names in the directory to stable storage.
  package func sync() throws(StoreFault) {
    try openSelf().sync()
  }

  /// The name of the network file system that the directory is on; nil on a disk of this machine.
  package func networkFileSystem() throws(StoreFault) -> String? {
    let directory = try openSelf()
    return try directory.naming { () throws(SystemError) in
      try system.networkFileSystem(of: directory.number)
    }
  }

  func openSelf() throws(StoreFault) -> FileDescriptor {
    let number = try calling { () throws(SystemError) in try system.openFile(path, .directory) }
    return FileDescriptor(system: system, number: number, name: path)
  }
}

/// Runs system calls that name their own path.
func calling<Result>(
  _ body: () throws(SystemError) -> Result
) throws(StoreFault) -> Result {
  do {
    return try body()
  } catch {
    throw .system(error)
  }
}

extension StoreDirectory {
  /// Gives a file that was just made the folder's owner and group and the journal's mode, as far as
  /// this process may. So whoever could use the store before can use it after another user, root
  /// for one, has written to it.
  ///
  /// A file that can't be given to the folder's group is not opened to any other group.
  func share(_ file: borrowing FileDescriptor) {
    guard let folder = try? access(), let own = try? file.status().access else { return }
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

  /// Whose the folder is, also where a symbolic link leads to it.
  private func access() throws(StoreFault) -> FileAccess {
    try openSelf().status().access
  }
}

extension StoreDirectory {
  /// How long a process may take to write a cache, before what it has begun is taken for a killed
  /// one's.
  private static let cacheMilliseconds: Int64 = 60_000

  /// Replaces a file that can be made again from others. Readers take no lock: the file appears
  /// whole, and one process at a time makes it, while others do without. Nothing is synced.
  func replaceCache(_ name: String, with bytes: [UInt8]) throws(StoreFault) {
    let temporary = name + ".new"
    try removeLeft(temporary)
    do throws(StoreFault) {
      let file = try open(temporary, .create)
      try bytes.span.withUnsafeBytes { (bytes) throws(StoreFault) in try file.write(bytes, at: 0) }
      try rename(temporary, to: name)
    } catch {
      // Another process may be at it.
      if case .system(let reason) = error, reason.isPresent { throw error }
      try? removeFile(temporary)
      throw error
    }
  }

  /// Removes what a process left that was killed. One that is merely slow puts another's file in
  /// place then, or none: a cache that is not whole costs time and nothing else.
  private func removeLeft(_ temporary: String) throws(StoreFault) {
    guard let left = try status(of: temporary) else { return }
    let age = system.currentMilliseconds() - left.changedNanoseconds / 1_000_000
    if age > Self.cacheMilliseconds { try removeFile(temporary) }
  }
}
