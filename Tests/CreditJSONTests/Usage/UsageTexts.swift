import CreditModel
import Testing

@testable import CreditJSON

/// Returns the `UsageReading` of a text that is one request.
func usageReading(of text: String) throws -> UsageReading {
  try JSONDocument(text).withRoot { UsageReading.of($0) }
}

/// Returns the reading of a text by `--response`.
func response(_ text: String) throws(CreditError) -> UsageReading {
  let result = Array(text.utf8).withBytes { bytes in
    Result { () throws(CreditError) in try ResponseReader.read(bytes) }
  }
  return try result.get()
}

/// A usage that can be read, as results have it.
func usageText(_ usage: ReportedUsage) -> String? {
  guard case .counts(let counts) = usage else { return nil }
  var writer = JSONWriter()
  writer.usage(counts)
  return writer.string
}

/// Input, output, cache read and cache write of a usage that can be read.
func usageCounts(_ usage: ReportedUsage) -> [Int64]? {
  guard case .counts(.tokens(let tokens)) = usage else { return nil }
  return [
    tokens.inputTokens, tokens.outputTokens, tokens.cacheReadTokens, tokens.cacheWriteTokens,
  ]
}

func usageReason(_ usage: ReportedUsage) -> String? {
  guard case .unreadable(_, let reason) = usage else { return nil }
  return reason
}

extension UsageReading {
  /// The response's outcome: `complete`, `cut`, or the error's code.
  var outcomeText: String {
    switch outcome {
    case .complete: "complete"
    case .cut: "cut"
    case .refused(let error): error.code.rawValue
    }
  }

  /// Why it is refused.
  var refusal: String? {
    if case .refused(let error) = outcome { error.message } else { nil }
  }
}
