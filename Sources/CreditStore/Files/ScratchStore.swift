package import CreditModel
package import CreditSystem

/// A local store for this process alone, among temporary files, which goes with it: what comes from
/// elsewhere is checked there by the rules.
package final class ScratchStore {
  package let store: LocalStore
  private let system: any SystemCalls

  /// - Throws: `io_error`, `permission_denied`.
  package init(_ options: StoreOptions, _ system: any SystemCalls) throws(CreditError) {
    self.system = system
    let name = "credit-tools-" + String(system.randomWord(), radix: 36)
    let path = "\(options.temporaryFolder)/\(name)"
    var options = options
    options.syncs = false
    options.isReadOnly = false
    store = LocalStore(
      StoreLocation(path: path, isNamed: true), options: options, system: system)
    try reporting { () throws(StoreFault) in try store.directory.create() }
  }

  deinit {
    let directory = store.directory
    for name in (try? directory.names()) ?? [] { try? directory.removeFile(name) }
    try? system.removeDirectory(directory.path)
  }
}
