internal import CreditJSON
internal import CreditModel

/// Pages of time buckets, as Anthropic and OpenAI have them: `{"data":[BUCKET…],"has_more":…}`.
struct BillPages {
  let description: BillDescription
  /// The members with a bucket's beginning and end.
  let start: StaticString
  let end: StaticString
  /// Reads these times.
  let time: (JSONValue, StaticString) throws(CreditError) -> Timestamp
  let report: (JSONValue) throws(CreditError) -> String
  /// Reads a result of a day.
  let row: (JSONValue, Int64) throws(CreditError) -> BillRow

  /// Reads a page, or a bucket alone.
  func read(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    guard let data = value.member("data") else {
      guard value.member("results") != nil || value.member("result") != nil else {
        throw .invalidRequest("it is not a page of a bill\(failure(value))")
      }
      _ = try readBucket(value, into: bill)
      return
    }
    guard data.kind == .array, let hasMore = value.member("has_more")?.bool else {
      throw .invalidRequest(
        "it is not a page of a bill: it has data, but has_more is not true or false")
    }
    var report: String?
    var end: Timestamp?
    var last: Range<Timestamp>?
    for bucket in data.elements {
      let (name, time) = try readBucket(bucket, into: bill)
      if last?.overlaps(time) == true {
        throw BillCoverage.overlap(report ?? name ?? "a report", time.lowerBound)
      }
      last = time
      report = name ?? report
      end = max(end ?? time.upperBound, time.upperBound)
    }
    if hasMore {
      let token = try value.billText("next_page") ?? "after it"
      bill.coverage.continuations.append((report, end, token))
    }
  }

  private func readBucket(
    _ bucket: JSONValue, into bill: Bill
  ) throws(CreditError) -> (report: String?, time: Range<Timestamp>) {
    guard let results = bucket.member("results") ?? bucket.member("result"),
      results.kind == .array
    else { throw .invalidRequest("a bucket has no results") }
    for (name, format) in [("starting_at" as StaticString, "anthropic"), ("start_time", "openai")]
    where bucket.member(start) == nil && bucket.member(name) != nil {
      throw .invalidRequest("it looks like a bill of the format \(format)")
    }
    let (since, until) = (try time(bucket, start), try time(bucket, end))
    for result in results.elements where !result.isObject {
      throw .invalidRequest("a result is not an object: \(result.kind)")
    }
    let name = try bill.addBucket(
      bucket, from: since, to: until, results: results, report: report, row: row)
    return (name, since..<until)
  }

  /// Returns the message of a provider's error, or names the reports that are read.
  private func failure(_ value: JSONValue) -> String {
    guard let error = value.member("error") else {
      let isLine = value.member("credits") != nil && value.member("account") != nil
      return isLine
        ? ": it is a line of credit-history, which standard input takes"
        : ": \(description.advice)"
    }
    return ": it is an error: \(quoted(error.string ?? error.string("message") ?? "no message"))"
  }
}

extension JSONValue {
  /// Returns the numbers, other than 0, of members that are not known by name.
  ///
  /// A provider may bill them, and the tools have no count for them.
  /// - Throws: if one is not a count.
  func unreadCounts(
    known: [StaticString], prefix: String = ""
  ) throws(CreditError) -> [(name: String, count: Int64)] {
    var unread: [(name: String, count: Int64)] = []
    for (name, value) in members where value.kind == .number {
      if known.contains(where: { name.utf8Equals($0) }) { continue }
      let text = prefix + (name.string ?? "")
      guard let count = value.int64, count >= 0 else {
        throw value.mistake("\(text) is not a count", .invalidUsage)
      }
      if count > 0 { unread.append((text, count)) }
    }
    return unread
  }
}
