internal import CreditModel

/// A batch that a gate is serving, perhaps on another thread, and what it answers.
///
/// What a thread has allocated is freed by it, as otherwise each would wait for the other's memory:
/// a batch holds its requests to its end, and its answers go to a later one when they are printed.
final class ServedBatch {
  let gathered: [GatheredRequest]
  let parts: [BatchPart]
  let requestCount: Int
  let policy: Policy?
  private(set) var answers: [PartAnswer] = []
  /// Why the store failed.
  private(set) var failure: CreditError?
  private var spentAnswers: [PartAnswer]

  /// - Parameter spentAnswers: those of an earlier batch that nobody needs any more.
  init(_ batch: RequestBatch, spentAnswers: [PartAnswer]) {
    self.spentAnswers = spentAnswers
    gathered = batch.gathered
    parts = batch.parts
    requestCount = batch.requestCount
    policy = batch.policy
  }

  /// Has the gate serve all of it: what does not fit into one append goes into the next.
  func serve(by gate: any CreditGate, under policy: Policy) {
    spentAnswers = []
    do throws(CreditError) {
      var rest = parts
      while !rest.isEmpty {
        for answer in try gate.perform(rest, under: policy) { add(answer) }
        rest = unanswered
      }
    } catch {
      failure = error
    }
  }

  /// Adds an answer: to the next part, or to what is left of a run.
  private func add(_ answer: PartAnswer) {
    if case .run(let more) = answer, case .run(let first)? = answers.last, unansweredRun != nil {
      first.add(more)
    } else {
      answers.append(answer)
    }
  }

  /// What is left of a run of which some requests are answered.
  private var unansweredRun: PlainRun? {
    guard case .run(let answered)? = answers.last, case .run(let run) = parts[answers.count - 1],
      answered.count < run.requests.count
    else { return nil }
    return run.rest(from: answered.count)
  }

  /// What is to be given to the gate again.
  private var unanswered: [BatchPart] {
    let rest = parts[answers.count...]
    return (unansweredRun.map { [.run($0)] } ?? []) + rest
  }

  /// Puts another error in the place of each.
  func mapErrors(_ body: (CreditError) -> CreditError) {
    for (index, answer) in answers.enumerated() {
      switch answer {
      case .answer(.failure(let error)): answers[index] = .answer(.failure(body(error)))
      case .answer(.success): break
      case .run(let answers): answers.mapErrors(body)
      }
    }
  }

  /// The request that gets the error where the store failed: the first that is not answered.
  var firstUnanswered: RequestOrigin? {
    if let run = unansweredRun {
      return RequestOrigin(line: run.requests[0].line, run.request(0))
    }
    let request = gathered.first { request in
      if case .pending(let number) = request.outcome {
        number >= answers.count
      } else {
        answers.isEmpty
      }
    }
    return request?.origin(among: parts)
  }

  /// Gives its answers away.
  func takeAnswers() -> [PartAnswer] {
    defer { answers = [] }
    return answers
  }
}
