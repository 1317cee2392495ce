import CreditStore

/// A machine in memory: a disk with a cache before it, processes that can be killed at any call, and
/// a power cord.
final class SimulatedMachine {
  enum Entry {
    case directory
    case file(SimulatedFile)
  }

  /// A change of names that may not be on the disk yet.
  private struct NameChange {
    var removed: String?
    var added: (path: String, entry: Entry)?

    /// The directories whose sync brings it to the disk.
    var parents: [String] { [removed, added?.path].compactMap { $0.map(parentPath) } }
  }

  var random: SeededGenerator
  var milliseconds: Int64 = 1_771_495_200_000
  private(set) var boot: UInt64 = 1
  private(set) var names: [String: Entry] = ["/": .directory]
  private var storedNames: [String: Entry] = ["/": .directory]
  private var unstored: [NameChange] = []
  private var files: [SimulatedFile] = []
  private let blockByteCount: Int
  private var changeCount: Int64 = 0

  /// What files have after a kill, until the killed process has found out: its mappings stay as they
  /// are until then.
  private var afterKill: [(file: SimulatedFile, bytes: [UInt8])] = []
  private var isPowerCut = false

  /// Who has locked which file.
  private(set) var locks: [UInt64: [LockHolder: LockMode]] = [:]

  struct LockHolder: Hashable {
    var process: Int
    var file: Int32
  }

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    blockByteCount = random.pick(512, 4096)
  }

  func changeTime() -> Int64 {
    changeCount += 1
    return changeCount
  }

  // MARK: Names

  func makeFile(_ path: String) -> SimulatedFile {
    let file = SimulatedFile(
      inode: UInt64(changeTime()), blockByteCount: blockByteCount)
    file.changed = changeTime()
    files.append(file)
    change(NameChange(added: (path, .file(file))))
    return file
  }

  func makeDirectory(_ path: String) { change(NameChange(added: (path, .directory))) }

  func remove(_ path: String) { change(NameChange(removed: path)) }

  func rename(_ path: String, to newPath: String) {
    guard let entry = names[path] else { return }
    change(NameChange(removed: path, added: (newPath, entry)))
  }

  private func change(_ change: NameChange) {
    Self.apply(change, to: &names)
    unstored.append(change)
  }

  private static func apply(_ change: NameChange, to names: inout [String: Entry]) {
    if let removed = change.removed { names[removed] = nil }
    if let added = change.added { names[added.path] = added.entry }
  }

  func syncNames(in path: String) {
    for change in unstored where change.parents.contains(path) {
      Self.apply(change, to: &storedNames)
    }
    unstored.removeAll { $0.parents.contains(path) }
  }

  // MARK: Locks

  func lock(_ inode: UInt64, _ holder: LockHolder, _ mode: LockMode) -> Bool {
    let others = (locks[inode] ?? [:]).filter { $0.key != holder }
    if mode == .exclusive ? !others.isEmpty : others.values.contains(.exclusive) { return false }
    locks[inode, default: [:]][holder] = mode
    return true
  }

  func unlock(where isHolder: (LockHolder) -> Bool) {
    for inode in locks.keys { locks[inode] = locks[inode]?.filter { !isHolder($0.key) } }
  }

  // MARK: Crashes

  /// The system writes some blocks in its own time.
  func passTime() {
    guard random.once(in: 8), let file = files.last(where: { _ in random.once(in: 2) }) else {
      return
    }
    file.writeBackSomeBlock(&random)
  }

  /// Notes what the killed process leaves behind.
  /// - Parameter mappings: of each file that it has mapped what it had at the call before.
  func kill(_ process: Int, _ mappings: [(file: SimulatedFile, before: [UInt8])]) {
    unlock { $0.process == process }
    afterKill = mappings.map { ($0.file, interrupted($0.file, $0.before)) }
  }

  /// The words that a process changed through a mapping since its last call, but for some of the last
  /// ones. An index's header is written after all others; where that is missing any may be.
  private func interrupted(_ file: SimulatedFile, _ before: [UInt8]) -> [UInt8] {
    var bytes = Array(file.bytes)
    guard random.once(in: 2), before.count == bytes.count, bytes.count >= 4096 else { return bytes }
    bytes.replaceSubrange(128..<384, with: before[128..<384])
    for word in stride(from: 4096, to: bytes.count - 7, by: 8)
    where bytes[word..<word + 8] != before[word..<word + 8] && random.once(in: 2) {
      bytes.replaceSubrange(word..<word + 8, with: before[word..<word + 8])
    }
    return bytes
  }

  /// Loses what is not on the disk, and starts anew, once the processes have found out.
  func cutPower(_ mapped: [SimulatedFile] = []) {
    isPowerCut = true
    afterKill = mapped.map { ($0, Array($0.bytes)) }
  }

  /// Lets the consequences of a kill or power cut come about; the killed processes are gone by now.
  /// - Returns: whether the machine was started anew.
  func settle() -> Bool {
    for (file, bytes) in afterKill {
      let mappings = file.mappings
      bytes.withUnsafeBytes { file.write($0, at: 0) }
      file.mappings = mappings
    }
    afterKill = []
    guard isPowerCut else { return false }
    isPowerCut = false
    boot += 1
    locks = [:]
    let isJournaled = random.once(in: 2)
    let kept = random.number(below: unstored.count + 1)
    for (number, change) in unstored.enumerated()
    where isJournaled ? number < kept : random.once(in: 2) {
      Self.apply(change, to: &storedNames)
    }
    unstored = []
    names = storedNames.filter { Self.isReachable($0.key, in: storedNames) }
    storedNames = names
    files = names.values.compactMap { entry in
      if case .file(let file) = entry { file } else { nil }
    }
    files.sort { $0.inode < $1.inode }
    for file in files { file.losePower(&random) }
    return true
  }

  private static func isReachable(_ path: String, in names: [String: Entry]) -> Bool {
    var path = path
    while path != "/" {
      path = parentPath(path)
      guard case .directory = names[path] else { return false }
    }
    return true
  }
}

/// The path without its last component.
func parentPath(_ path: String) -> String {
  guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
  return String(path[..<slash])
}
