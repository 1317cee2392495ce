package import CreditModel

/// The headers that a response came with, as `curl -D FILE` writes them.
package enum ResponseHeaders {
  /// The most bytes of them.
  package static let byteLimit = 1 << 20

  /// Returns the cost of the call, in dollars, that a proxy's headers give. Nil if they give none.
  ///
  /// Of several responses, such as a redirection and what followed it, the last one counts. Names
  /// are compared without case. Source: https://docs.litellm.ai/docs/proxy/response_headers
  /// - Throws: `invalid_request` if the cost is not an amount.
  package static func cost(in headers: [UInt8]) throws(CreditError) -> ExactDecimal? {
    var cost: ExactDecimal?
    for line in headers.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: "HTTP/".utf8) { cost = nil }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = Array(line[..<colon])
      guard name.withUnsafeBytes({ $0.equalsInAnyCase("x-litellm-response-cost") }) else {
        continue
      }
      let value = line[(colon + 1)...].filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0d }
      if value.isEmpty || value.elementsEqual("None".utf8) { continue }
      guard let amount = value.withUnsafeBytes(ExactDecimal.init(text:)) else {
        throw CreditError(.invalidRequest, "x-litellm-response-cost in the headers is no amount")
      }
      cost = amount
    }
    return cost
  }
}

extension UsageReading {
  /// Returns this reading with the headers' cost, if there is one.
  package func costing(_ cost: ExactDecimal?) -> UsageReading {
    var reading = self
    if let cost { reading.reportedUSD = cost }
    return reading
  }
}
