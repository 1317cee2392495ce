internal import CreditModel

final class OpenAIBill: BillFormat {
  static let description = BillDescription(
    name: "openai", title: "OpenAI",
    summary: "Pages of organization/usage/* and of organization/costs", readsTables: false)

  func read(_ value: JSONValue, into bill: Bill) throws(CreditError) {
    let pages = BillPages(
      description: Self.description, start: "start_time", end: "end_time", time: Self.seconds,
      report: Self.report, row: Self.row)
    try pages.read(value, into: bill)
  }

  /// Seconds since 1970.
  private static func seconds(
    _ bucket: JSONValue, _ name: StaticString
  ) throws(CreditError) -> Timestamp {
    guard let seconds = try bucket.billCount(name),
      seconds <= Timestamp.latest.milliseconds / 1000
    else { throw .invalidRequest("\(name) is not a time in seconds") }
    return Timestamp(milliseconds: seconds * 1000)
  }

  /// `usage/completions` of `organization.usage.completions.result`.
  private static func report(of result: JSONValue) throws(CreditError) -> String {
    let object = try result.billText("object") ?? ""
    let parts = object.split(separator: ".").map(String.init)
    guard parts.count > 2, parts[0] == "organization", parts.last == "result",
      parts[1] == "costs" || parts[1] == "usage"
    else { throw .invalidRequest("a result has the object \(quoted(object))") }
    return parts.dropFirst().dropLast().joined(separator: "/")
  }

  private static func row(_ result: JSONValue, _ day: Int64) throws(CreditError) -> BillRow {
    let report = try report(of: result)
    if report == "costs" { return try costRow(result, day) }
    var row = BillRow(day: day, model: try result.billText("model"))
    switch report {
    case "usage/completions": try readCompletions(result, into: &row)
    case "usage/embeddings":
      row.usage = try result.billCounts([("input_tokens", .inputTokens)])
    case "usage/images":
      row.usage = try result.billCounts([("images", .images)])
      row.callPlaces = [Int(UsageCount.images.rawValue)]
    case "usage/web_searches", "usage/web_search_calls":
      row.usage = try result.billCounts([("num_requests", .webSearches)])
      row.callPlaces = [Int(UsageCount.webSearches.rawValue)]
    case "usage/moderations":
      row.usage = Quantities()
    default:
      row.unread = try result.unreadCounts(known: ["num_model_requests"])
      row.isUsagePartial = row.model != nil && !row.unread.isEmpty
    }
    if row.model == nil { row.description = modelless(report) }
    return row
  }

  /// Returns the name of usage without a model.
  ///
  /// It is nil for a report that has models, and was fetched without them.
  private static func modelless(_ report: String) -> String? {
    switch report {
    case "usage/completions", "usage/embeddings", "usage/images", "usage/audio_speeches",
      "usage/audio_transcriptions":
      nil
    default:
      String(decoding: report.utf8.dropFirst(6).map { $0 == 0x5F ? 0x20 : $0 }, as: UTF8.self)
    }
  }

  private static func readCompletions(
    _ result: JSONValue, into row: inout BillRow
  ) throws(CreditError) {
    func count(_ name: StaticString) throws(CreditError) -> Int64 {
      try result.billCount(name) ?? 0
    }
    let cached = try count("input_cached_tokens")
    let cachedAudio = try count("input_cached_audio_tokens")
    let cachedImages = try count("input_cached_image_tokens")
    let writes = try count("input_cache_write_tokens")
    let (audio, images) = (try count("input_audio_tokens"), try count("input_image_tokens"))
    let (audioOut, imagesOut) = (try count("output_audio_tokens"), try count("output_image_tokens"))
    let input = try rest(
      try count("input_tokens"), [cached, writes, audio, images], "input_tokens")
    let output = try rest(try count("output_tokens"), [audioOut, imagesOut], "output_tokens")
    let reads = try rest(cached, [cachedAudio, cachedImages], "input_cached_tokens")
    var usage = Quantities()
    let counts: [(Int64, UsageCount)] = [
      (input, .inputTokens), (output, .outputTokens), (reads, .cacheReadTokens),
      (cachedAudio, .cacheReadAudioTokens), (cachedImages, .cacheReadImageTokens),
      (writes, .cacheWriteTokens), (audio, .audioInputTokens), (images, .imageInputTokens),
      (audioOut, .audioOutputTokens), (imagesOut, .imageOutputTokens),
    ]
    for (number, count) in counts { try usage.add(number, count) }
    row.usage = usage
    row.unread = try result.unreadCounts(known: completionMembers)
  }

  /// Members that are added up above, and sums and parts that repeat them.
  private static let completionMembers: [StaticString] = [
    "input_tokens", "output_tokens", "input_cached_tokens", "input_cached_audio_tokens",
    "input_cached_image_tokens", "input_cached_text_tokens", "input_cache_write_tokens",
    "input_audio_tokens", "input_image_tokens", "input_text_tokens", "input_uncached_tokens",
    "output_audio_tokens", "output_image_tokens", "output_text_tokens", "num_model_requests",
  ]

  private static func rest(
    _ sum: Int64, _ parts: [Int64], _ name: StaticString
  ) throws(CreditError) -> Int64 {
    var rest = sum
    for part in parts {
      guard part <= rest else {
        throw CreditError(.invalidUsage, "\(name) is less than the parts that it includes")
      }
      rest -= part
    }
    return rest
  }

  private static func costRow(_ result: JSONValue, _ day: Int64) throws(CreditError) -> BillRow {
    guard let amount = try result.billObject("amount"),
      let value = try amount.billDecimal("value"), let currency = try amount.billText("currency")
    else { throw .invalidRequest("a cost has no amount, or no currency") }
    var row = BillRow(day: day)
    row.amount = try BillAmount(value, currency)
    guard let text = try result.billText("line_item") else { return row }
    let item = OpenAILineItem(text)
    row.model = item.model
    row.description = text
    row.place = item.place
    row.isSharedByCount = item.isWebSearch && item.model == nil
    return row
  }
}

/// Name of a line of OpenAI's costs.
///
/// Examples are `gpt-4o-mini-2024-07-18, cached input`, `priority | gpt-5, output, long context`,
/// `gpt-audio audio, input`, and `web search tool calls`.
///
/// OpenAI documents no grammar of it. A text with a comma begins with a model; the rest after a
/// blank behind its name is the kind of tokens; any other text belongs to no model.
struct OpenAILineItem {
  private(set) var model: String?
  private(set) var place: Int?
  private(set) var isWebSearch = false

  init(_ text: String) {
    let item = text.split(separator: "|").last.map(Self.trimmed) ?? text
    let parts = item.split(separator: ",").map(Self.trimmed)
    guard parts.count > 1, let first = parts.first else {
      isWebSearch = item.lowercased().hasPrefix("web search")
      if isWebSearch { place = Int(UsageCount.webSearches.rawValue) }
      return
    }
    let words = first.split(separator: " ").map(String.init)
    guard let name = words.first else { return }
    let kinds = ["audio", "image", "text"]
    let kind = words.count == 2 && kinds.contains(words[1]) ? words[1] : nil
    guard words.count == 1 || kind != nil else { return }
    model = name
    place = Self.count(parts[1].lowercased(), kind ?? "text").map { Int($0.rawValue) }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  private static func count(_ direction: String, _ kind: String) -> UsageCount? {
    switch (direction, kind) {
    case ("input", "text"): .inputTokens
    case ("input", "audio"): .audioInputTokens
    case ("input", "image"): .imageInputTokens
    case ("cached input", "text"): .cacheReadTokens
    case ("cached input", "audio"): .cacheReadAudioTokens
    case ("cached input", "image"): .cacheReadImageTokens
    case ("output", "text"): .outputTokens
    case ("output", "audio"): .audioOutputTokens
    case ("output", "image"): .imageOutputTokens
    default: nil
    }
  }
}
