internal import CreditModel
internal import CreditSystem

/// Has a gate serve batches, one after another. A large one is served on another thread, so that
/// the results of the one before can be printed meanwhile, and the next one read.
final class BatchServing {
  private let service: GateService
  private let gate: any CreditGate
  private let thread = WorkerThread()
  private var current: Batch?
  private var explanations = Explanations()
  /// Answers that have been printed, for the thread to free.
  private var spentAnswers = Rows<GateAnswer>()

  init(_ service: GateService) {
    self.service = service
    gate = service.gate
    service.waitUntilServed = { [thread] in thread.wait() }
  }

  var isServing: Bool { current != nil }

  /// Makes the gate serve a batch, after the previous one has been finished.
  /// - Returns: true if that continues; else the batch is served already.
  func startServing(_ batch: Batch) -> Bool {
    batch.take(&spentAnswers)
    current = batch
    // Another thread serves large ones.
    guard batch.requests.count >= 256 else {
      batch.serve(by: gate)
      return false
    }
    thread.start { [gate] in batch.serve(by: gate) }
    return true
  }

  /// Prices the next batch's charges while the batch before is served: the gate has less to do.
  func prepare(_ next: Batch) { while thread.isBusy, next.quoteMore() {} }

  /// Waits for the batch that is being served.
  /// - Returns: that batch, with its answers or with why the store failed; nil if no batch is being
  ///   served.
  func finishServing() -> Batch? {
    guard let served = current else { return nil }
    current = nil
    thread.wait()
    if served.failure == nil {
      served.mapErrors {
        explanations.explain($0, by: served.policy, advice: service.advice)
      }
    }
    return served
  }

  func writeAhead() { if isServing { gate.writeAhead() } }

  func wait() { thread.wait() }

  /// Takes the answers of a batch that has been printed.
  func dispose(of batch: Batch) { batch.giveAnswers(to: &spentAnswers) }
}
