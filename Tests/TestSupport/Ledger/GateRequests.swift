package import CreditModel

extension CreditGate {
  /// Serves requests as one batch.
  /// - Returns: the answers; fewer than there are requests if the gate leaves some out.
  package func perform(_ requests: [GateRequest], under policy: Policy) throws(CreditError)
    -> [GateAnswer]
  {
    let batch = Batch(under: policy)
    for request in requests { batch.add(request) }
    try perform(batch)
    return batch.answers.indices.map { batch.answers[$0] }
  }
}
