package import CreditModel
internal import CreditSystem

/// An error that tells a fault of the store, in whichever layer.
package protocol StoreError: Error {
  init(_ fault: StoreFault)
}

extension StoreFault: StoreError {
  package init(_ fault: StoreFault) { self = fault }
}

extension CreditError: StoreError {
  /// What a fault of the store means for the current requests.
  package init(_ fault: StoreFault) {
    switch fault {
    case .system(let error):
      self.init(error.isForbidden ? .permissionDenied : .ioError, "\(error)")
    case .locked(let holder):
      self.init(.storeLocked, "\(fault); try again", holder.map { [.holder($0.detail)] } ?? [])
    case .appendFailed(_, let undone):
      self.init(.ioError, "\(fault)", [.outcome(undone ? "none" : "unknown")])
    case .syncFailed(let error):
      self.init(
        .ioError,
        "\(error); whether the records are on disk is unknown: run credit-store rebuild, then "
          + "repeat the request with the same id",
        [.outcome("unknown")])
    case .marked:
      self.init(.ioError, "\(fault)", [.outcome("none")])
    case .version:
      self.init(.unavailable, "\(fault)", [.outcome("none")])
    case .damaged(let damage):
      self.init(
        .corruptStore, "\(damage); credit-store verify lists all damage and says what can be done",
        [.line(damage.line), .offset(damage.offset)])
    case .shortened(let journal):
      self.init(
        .corruptStore,
        "\(journal); restore the store from a backup, or go on without them: "
          + "credit-store rebuild --drop-damaged FILE",
        [.offset(journal.offset), .lost(journal.lost)])
    case .unexpectedFile:
      self.init(.corruptStore, "\(fault)")
    case .lockReplaced, .journalReplaced:
      self.init(.ioError, "\(fault)")
    case .indexUnusable:
      self.init(.corruptStore, "\(fault); run credit-store rebuild")
    }
  }
}

/// Runs steps of the store, turning its faults into errors of the current requests.
func reporting<Result: ~Copyable>(_ body: () throws(StoreFault) -> Result) throws(CreditError)
  -> Result
{
  do {
    return try body()
  } catch {
    throw CreditError(error)
  }
}

extension LockHolder {
  fileprivate var detail: CreditError.Holder {
    CreditError.Holder(
      process: Int64(process), command: command,
      since: Timestamp(milliseconds: startMilliseconds))
  }
}
