import CreditBytes
import CreditSystem
import Foundation

@testable import CreditStore

/// A machine in memory: a disk with a cache before it, processes that can be killed at any call,
/// and a power cord.
final class SimulatedMachine {
  /// The folder of the store that runs on it.
  static let storePath = "/home/credit"

  enum Node {
    case directory
    case file(SimulatedFile)
  }

  /// A change of names that may not be on the disk yet.
  private struct NameChange {
    var removed: String?
    var added: (path: String, node: Node)?

    /// The directories whose sync brings it to the disk.
    var parents: [String] { [removed, added?.path].compactMap { $0.map(parentPath) } }
  }

  var random: SeededGenerator
  /// The machine's fault, if any.
  let sabotage: Sabotage?
  var milliseconds: Int64 = 1_771_495_200_000
  /// How many processes it has had.
  var processCount = 0
  private(set) var boot: UInt64 = 1
  private(set) var names: [String: Node] = ["/": .directory]
  private var storedNames: [String: Node] = ["/": .directory]
  private var unstored: [NameChange] = []
  private var files: [SimulatedFile] = []
  private let blockByteCount: Int
  private var changeCount: Int64 = 0
  /// Whether a process was ever told that a sync failed.
  var hasFailedSync = false

  /// Contents of files after a kill, until the killed process has noticed: its mappings stay
  /// unchanged until then.
  private var afterKill: [(file: SimulatedFile, bytes: [UInt8])] = []
  private var isPowerCut = false
  /// Whether the last crash was a power cut.
  private(set) var isJustStarted = false

  /// Who has locked which file.
  private(set) var locks: [UInt64: [LockHolder: LockMode]] = [:]

  struct LockHolder: Hashable {
    var process: Int
    var file: Int32
  }

  init(seed: UInt64, sabotage: Sabotage? = nil) {
    self.sabotage = sabotage
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

  /// A file in the store's directory.
  func storeFile(_ name: String) -> SimulatedFile? {
    guard case .file(let file)? = names["\(Self.storePath)/\(name)"] else { return nil }
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

  private static func apply(_ change: NameChange, to names: inout [String: Node]) {
    if let removed = change.removed { names[removed] = nil }
    if let added = change.added { names[added.path] = added.node }
  }

  func syncNames(in path: String) {
    if sabotage == .namesAreNotSynced { return }
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

  /// Notes the files that the killed process leaves behind.
  /// - Parameter mappings: each mapped file's contents at the previous call.
  func kill(_ process: Int, _ mappings: [(file: SimulatedFile, before: [UInt8])]) {
    unlock { $0.process == process }
    afterKill = mappings.map { ($0.file, interrupted($0.file.bytes, $0.before)) }
  }

  /// The words that a process changed through a mapping since its last call, except for some of the
  /// last ones. An index's header is written after all others; if it is missing any of them may be,
  /// and its mark of a change remains.
  private func interrupted(_ now: [UInt8], _ before: [UInt8]) -> [UInt8] {
    guard random.once(in: 2), before.count == now.count, now.count >= 4096 else { return now }
    var bytes = now
    bytes.replaceSubrange(128..<384, with: before[128..<384])
    bytes[IndexLayout.changingOffset] = 1
    bytes.withMutableBytes { bytes in
      before.withBytes { before in
        bytes.eachDifferingWord(from: before, startingAt: 4096) { offset in
          guard random.once(in: 2) else { return }
          let word = before.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          bytes.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        }
      }
    }
    return bytes
  }

  /// Loses everything that is not on the disk, and restarts, once the processes have noticed.
  func cutPower(_ mapped: [SimulatedFile] = []) {
    isPowerCut = true
    afterKill = mapped.map { ($0, $0.bytes) }
  }

  /// Lets the consequences of a kill or power cut come about; the killed processes are gone by now.
  /// - Returns: whether the machine was started anew.
  func settle() -> Bool {
    isJustStarted = isPowerCut
    for (file, bytes) in afterKill { bytes.withBytes { file.write($0, at: 0) } }
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
    if sabotage == .historyChanges { changeHistory() }
    return true
  }

  private static func isReachable(_ path: String, in names: [String: Node]) -> Bool {
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
  guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else {
    return "/"
  }
  return String(path[..<slash])
}

extension MutableBytes {
  /// Calls `body` with the offset of each word that is another one in `other`, which is as long.
  fileprivate func eachDifferingWord(
    from other: Bytes, startingAt first: Int, _ body: (Int) -> Void
  ) {
    guard let start = baseAddress, let otherStart = other.baseAddress else { return }
    for block in stride(from: first, to: count, by: 512) {
      let end = Swift.min(block + 512, count)
      if memcmp(start + block, otherStart + block, end - block) == 0 { continue }
      for offset in stride(from: block, through: end - 8, by: 8)
      where Bytes(self).loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      {
        body(offset)
      }
    }
  }
}
