internal import CreditModel

/// Requests that are served together.
struct RequestBatch {
  /// A request whose line has not been printed yet.
  struct Entry {
    enum Outcome {
      case pending
      case failed(CreditError)
      /// An error that came in as a request and goes out as it is.
      case passed(CreditError.Code)
    }

    var outcome: Outcome
    /// Its text, where that is needed again.
    var text: [UInt8]?
  }

  var entries: [Entry] = []
  /// Those of the entries that are pending, for the gate.
  var requests: [GateRequest] = []
  /// The rules as the requests were read.
  var policy: Policy?
}

/// A batch that is being served by the gate, perhaps on another thread.
///
/// What a thread has allocated is freed by it, as otherwise each would wait for the other's memory: a
/// flight holds its requests to its end, and its answers go to a later one when they are printed.
final class Flight {
  let entries: [RequestBatch.Entry]
  let requests: [GateRequest]
  let policy: Policy?
  private(set) var answers: [GateAnswer] = []
  /// Why the store failed.
  private(set) var failure: CreditError?
  private var spentAnswers: [GateAnswer]

  /// - Parameter spentAnswers: those of an earlier flight that nobody needs any more.
  init(_ batch: RequestBatch, spentAnswers: [GateAnswer]) {
    self.spentAnswers = spentAnswers
    entries = batch.entries
    requests = batch.requests
    policy = batch.policy
  }

  /// Puts another error in the place of each.
  func mapErrors(_ body: (CreditError) -> CreditError) {
    for (index, answer) in answers.enumerated() {
      guard case .failure(let error) = answer else { continue }
      answers[index] = .failure(body(error))
    }
  }

  /// Gives its answers away.
  func takeAnswers() -> [GateAnswer] {
    defer { answers = [] }
    return answers
  }

  func serve(by gate: any CreditGate, under policy: Policy) {
    spentAnswers = []
    do throws(CreditError) {
      answers = try gate.perform(requests, under: policy)
      while answers.count < requests.count {
        answers += try gate.perform(Array(requests[answers.count...]), under: policy)
      }
    } catch {
      failure = error
    }
  }
}
