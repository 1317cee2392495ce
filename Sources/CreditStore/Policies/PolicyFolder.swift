public import CreditModel

/// A folder with a policy and its files: a store's own, or the local copy of a server's policy.
public final class PolicyFolder {
  public let directory: StoreDirectory
  let file: PolicyFile

  /// - Parameter zoneFolder: see ``StoreOptions/zoneFolder``.
  public init(_ directory: StoreDirectory, zoneFolder: String?) {
    self.directory = directory
    file = PolicyFile(in: directory, zoneFolder: zoneFolder)
  }

  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  public func policy() throws(CreditError) -> Policy { try file.inForce().policy }

  /// Returns the text of the policy, as its author wrote it.
  public func text() throws(CreditError) -> [UInt8] {
    PolicyNames.originalText(try file.inForce().file.text())
  }

  /// Returns the texts of the policy and of its catalog.
  public func priceTexts() throws(CreditError) -> [[UInt8]] {
    let policy = try file.inForce()
    let text = try policy.file.text()
    guard let catalog = policy.catalog else { return [text] }
    return [text, try catalog.text()]
  }

  /// Returns the policy and its files, each under a plain name.
  public func withFiles() throws(CreditError) -> (text: [UInt8], files: [KeptFile]) {
    try Self.portable(try file.inForce().file.text(), from: directory) { _ in true }
  }

  // MARK: Drafts

  /// Reads and checks a policy that will replace this one, and its files.
  /// - Parameter keepsAll: true if files with a folder in their names come with it, too.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  public func draft(_ path: String, keepsAll: Bool = false) throws(CreditError) -> PolicyDraft {
    let text = try InputFile.read(path, directory.system)
    let folder = StoreDirectory(
      path: StoreDirectory.parent(of: path) ?? ".", system: directory.system)
    return try draft(text, of: quoted(path), from: folder, keepsAll: keepsAll)
  }

  /// Checks a policy that will replace this one.
  /// - Parameters:
  ///   - name: its name in messages.
  ///   - folder: its folder, if it has one.
  ///   - enclosed: the files that came with it; then it may name no other file.
  ///   - keepsAll: true if files with a folder in their names come with it, too.
  public func draft(
    _ text: [UInt8], of name: String = "the policy", from folder: StoreDirectory? = nil,
    enclosed: [String: [UInt8]]? = nil, keepsAll: Bool = false
  ) throws(CreditError) -> PolicyDraft {
    if !keepsAll || enclosed != nil {
      return try PolicyDraft(text, of: name, from: folder, enclosed: enclosed, for: file)
    }
    let (portable, files) = try Self.portable(
      text, from: folder ?? StoreDirectory(path: ".", system: directory.system)
    ) { $0.utf8.contains(UInt8(ascii: "/")) }
    let bytes = files.map { ($0.name, $0.bytes) }
    return try PolicyDraft(
      portable, of: name, from: folder, enclosed: Dictionary(bytes) { first, _ in first }, for: file
    )
  }

  private static func portable(
    _ text: [UInt8], from folder: StoreDirectory, which isWanted: (String) -> Bool
  ) throws(CreditError) -> (text: [UInt8], files: [KeptFile]) {
    var files: [KeptFile] = []
    for (member, name) in PolicyNames.names(in: text) ?? [] where isWanted(name) {
      let path = name.hasPrefix("/") ? name : folder.path(of: name)
      let bytes = try NamedFile(path, of: member, folder.system).text()
      files.append(KeptFile(member: member, name: member.plainName(for: name), bytes: bytes))
    }
    let names = files.map { ($0.member, $0.name) }
    return (PolicyNames.replacing(names, in: text), files)
  }
}

extension FileMember {
  /// Returns a name without a folder that is not used yet.
  fileprivate func plainName(for name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? name
    let plain = KeptFile.originalName(of: last) ?? last
    let isUsual = plain.utf8.count <= KeptFile.nameLimit && !StoreDirectory.isOwnName(plain)
    switch self {
    case .catalog: return isUsual ? plain : "catalog.json"
    case .rootCertificate:
      // A catalog is JSON, so that no catalog has this name.
      return isUsual && !plain.hasSuffix(".json") ? plain : "certificate"
    }
  }
}
