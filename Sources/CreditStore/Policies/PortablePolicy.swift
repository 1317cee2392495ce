internal import CreditJSON
internal import CreditModel
internal import CreditSystem

extension LocalStore {
  /// The policy in force and the files that it names, each under a plain name: what another store
  /// can be made of.
  /// - Throws: `invalid_policy`, `io_error`, `permission_denied`.
  func policyWithFiles() throws(CreditError) -> (text: [UInt8], files: [KeptFile]) {
    guard try hasPolicy() else { return (try policyText(), []) }
    let text = try policyFile.inForce().text()
    var files: [KeptFile] = []
    for (member, name) in PolicyNames.names(in: text) ?? [] {
      let path = name.hasPrefix("/") ? name : directory.path(of: name)
      let bytes = try NamedFile(path, of: member, directory.system).text()
      files.append(KeptFile(member: member, name: member.plainName(for: name), bytes: bytes))
    }
    let names = files.map { ($0.member, $0.name) }
    return (PolicyNames.replacing(names, in: text), files)
  }
}

extension FileMember {
  /// A name without a folder that no file of a store has, and no other member's file.
  fileprivate func plainName(for name: String) -> String {
    let last = name.split(separator: "/").last.map(String.init) ?? name
    let plain = KeptFile.authorsName(of: last) ?? last
    let isUsual = plain.utf8.count <= KeptFile.nameLimit && !StoreDirectory.isOwnName(plain)
    switch self {
    case .catalog: return isUsual ? plain : "catalog.json"
    case .rootCertificate:
      // A catalog is JSON; so this name is none that a catalog has.
      return isUsual && !plain.hasSuffix(".json") ? plain : "certificate"
    }
  }
}
