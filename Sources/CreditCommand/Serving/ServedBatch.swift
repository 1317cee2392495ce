internal import CreditModel

/// A batch that a gate is serving, perhaps on another thread, and what it answers.
///
/// Each thread frees what it allocated; otherwise each would wait for the other's memory. So a
/// batch holds its requests to its end, and its answers go to a later one when they are printed.
final class ServedBatch {
  let gathered: [GatheredRequest]
  let requests: [GateRequest]
  let policy: Policy?
  private(set) var answers: [GateAnswer] = []
  /// Why the store failed.
  private(set) var failure: CreditError?
  private var spentAnswers: [GateAnswer]

  /// - Parameter spentAnswers: those of an earlier batch that nobody needs any more.
  init(_ batch: RequestBatch, spentAnswers: [GateAnswer]) {
    self.spentAnswers = spentAnswers
    gathered = batch.gathered
    requests = batch.requests
    policy = batch.policy
  }

  /// Has the gate serve all of it: what does not fit into one append goes into the next.
  func serve(by gate: any CreditGate, under policy: Policy) {
    spentAnswers = []
    do throws(CreditError) {
      answers = try gate.perform(requests, under: policy)
      while answers.count < requests.count {
        answers += try gate.perform(requests[answers.count...], under: policy)
      }
    } catch {
      failure = error
    }
  }

  /// Puts another error in the place of each.
  func mapErrors(_ body: (CreditError) -> CreditError) {
    for (index, answer) in answers.enumerated() {
      guard case .failure(let error) = answer else { continue }
      answers[index] = .failure(body(error))
    }
  }

  /// The request that gets the error where the store failed: the first that is not answered.
  var firstUnanswered: RequestOrigin? {
    let request = gathered.first { request in
      if case .pending(let number) = request.outcome {
        number >= answers.count
      } else {
        answers.isEmpty
      }
    }
    return request?.origin(among: requests)
  }

  /// Gives its answers away.
  func takeAnswers() -> [GateAnswer] {
    defer { answers = [] }
    return answers
  }
}
