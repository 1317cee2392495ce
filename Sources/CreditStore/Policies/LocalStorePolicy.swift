internal import CreditJSON
package import CreditModel

// The policy of a store is in its folder; a default store that is not made yet has the standard
// one.
extension LocalStore {
  package func policyText() throws(CreditError) -> [UInt8] {
    try hasPolicy() ? try policies.text() : PolicyText.standard
  }

  package func priceTexts() throws(CreditError) -> [[UInt8]] {
    try hasPolicy() ? try policies.priceTexts() : [PolicyText.standard]
  }

  package func policyWithFiles() throws(CreditError) -> (text: [UInt8], files: [KeptFile]) {
    try hasPolicy() ? try policies.withFiles() : (try policyText(), [])
  }

  package func policyDraft(_ path: String) throws(CreditError) -> PolicyDraft {
    try policies.draft(path)
  }

  package func policyDraft(text: [UInt8], enclosed: [String: [UInt8]]?)
    throws(CreditError) -> PolicyDraft
  {
    try policies.draft(text, enclosed: enclosed)
  }

  /// - Throws: `no_store`, `io_error`, `permission_denied`, `store_locked`.
  package func setPolicy(_ policy: PolicyDraft) throws(CreditError) {
    try requireExists()
    try reporting { () throws(StoreFault) in
      try withWriteLock { () throws(StoreFault) in try policies.install(policy) }
    }
  }
}
