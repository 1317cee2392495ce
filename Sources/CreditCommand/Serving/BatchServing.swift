internal import CreditModel
internal import CreditSystem

/// Has a gate serve batches, one after another. A large one is served on another thread, so that
/// the results of the one before can be printed meanwhile, and the next one read.
final class BatchServing {
  private let service: any WritingService
  private let thread = WorkerThread()
  /// The batch that is being served.
  private var current: ServedBatch?
  private var explanations = Explanations()
  /// Answers that have been printed, for the thread to free.
  private var spentAnswers: [GateAnswer] = []

  /// How many requests of a batch make it worth another thread's while.
  private static let threadMinimum = 256

  init(_ service: any WritingService) {
    self.service = service
    service.waitUntilServed = { [thread] in thread.wait() }
  }

  /// Whether a batch is being served.
  var isServing: Bool { current != nil }

  /// Has the gate serve a batch, once that before it has been finished.
  /// - Returns: whether that goes on; else the batch is served already.
  func startServing(_ batch: RequestBatch) -> Bool {
    let served = ServedBatch(batch, spentAnswers: spentAnswers)
    spentAnswers = []
    current = served
    guard let policy = served.policy, !served.requests.isEmpty else { return false }
    let gate = service.gate
    guard served.requests.count >= Self.threadMinimum else {
      served.serve(by: gate, under: policy)
      return false
    }
    thread.start { served.serve(by: gate, under: policy) }
    return true
  }

  /// Waits for the batch that is being served.
  /// - Returns: that batch, with its answers or with why the store failed; nil if no batch is being
  ///   served.
  func finishServing() -> ServedBatch? {
    guard let served = current else { return nil }
    current = nil
    thread.wait()
    if served.failure == nil, let policy = served.policy {
      // No other thread looks up prices now.
      served.mapErrors {
        explanations.explain($0, by: policy, nearestAccounts: service.nearestAccounts)
      }
    }
    return served
  }

  /// Helps the gate, if it is serving a batch.
  func help() { if isServing { service.gate.help() } }

  /// Waits until no batch is being served any more.
  func wait() { thread.wait() }

  /// Takes back answers that have been printed.
  func dispose(of answers: [GateAnswer]) { spentAnswers = answers }
}
