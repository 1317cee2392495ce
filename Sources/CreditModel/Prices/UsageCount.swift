/// One measured quantity of a usage. The counts of a usage are disjoint.
///
/// A count is declared once, here. Requests, results, records, prices, flags, manual and
/// completions all use its row; they list counts in this order.
public enum UsageCount: UInt8, CaseIterable, Sendable {
  case inputTokens
  case outputTokens
  case cacheReadTokens
  case cacheWriteTokens
  case cacheWrite1hTokens
  case cacheWrite12hTokens
  case imageInputTokens
  case audioInputTokens
  case audioOutputTokens
  case imageOutputTokens
  case cacheReadAudioTokens
  case cacheReadImageTokens
  case citationTokens
  case webSearches
  case xSearches
  case codeExecutions
  case fileSearches
  case documentSearches
  case searchSources
  case searchUnits
  case images
  case pages
  case webSearchPreviews

  public enum Kind: Sendable {
    /// Tokens that went in: they decide the price tier.
    case input
    /// Tokens that came out, or that the provider counts separately.
    case output
    /// Calls of the provider's own tools, priced by the thousand.
    case calls
  }

  /// The price of a count if the model has none for it.
  public enum AbsentPrice: Sendable {
    /// The price is required.
    case refused
    case input
    /// The price of input; unknown if the model prices cache writes.
    case inputUnlessCacheWrite
    /// The price of cache reads, by its own rule.
    case cacheRead
    /// None: a usage with such a count can't be priced.
    case unpriced
  }

  /// The declaration of a count. Its texts are constants, so that reading one makes none of the
  /// others.
  public struct Row: Sendable {
    public let member: StaticString
    /// The flag, without its two hyphens.
    public let flag: String
    /// The count's name in a price list, whose form adds a unit.
    public let price: StaticString
    public let kind: Kind
    public let absentPrice: AbsentPrice
    /// Description of the count, in a line without a full stop.
    public let summary: String

    fileprivate init(
      _ member: StaticString, _ flag: String, _ price: StaticString, _ kind: Kind,
      _ summary: String, absent absentPrice: AbsentPrice = .unpriced
    ) {
      self.member = member
      self.flag = flag
      self.price = price
      self.kind = kind
      self.absentPrice = absentPrice
      self.summary = summary
    }
  }

  public var row: Row {
    switch self {
    case .inputTokens:
      Row(
        "inputTokens", "input-tokens", "input", .input,
        "Input tokens that came from no cache", absent: .refused)
    case .outputTokens:
      Row(
        "outputTokens", "output-tokens", "output", .output,
        "Output tokens, reasoning included", absent: .refused)
    case .cacheReadTokens:
      Row(
        "cacheReadTokens", "cache-read-tokens", "cacheRead", .input,
        "Input tokens read from the provider's cache", absent: .input)
    case .cacheWriteTokens:
      Row(
        "cacheWriteTokens", "cache-write-tokens", "cacheWrite", .input,
        "Input tokens written to the provider's cache for 5 minutes", absent: .input)
    case .cacheWrite1hTokens:
      Row(
        "cacheWrite1hTokens", "cache-write-1h-tokens", "cacheWrite1h", .input,
        "Input tokens written to the provider's cache for an hour", absent: .inputUnlessCacheWrite)
    case .cacheWrite12hTokens:
      Row(
        "cacheWrite12hTokens", "cache-write-12h-tokens", "cacheWrite12h", .input,
        "Input tokens written to the provider's cache for 12 hours", absent: .inputUnlessCacheWrite)
    case .imageInputTokens:
      Row(
        "imageInputTokens", "image-input-tokens", "imageInput", .input,
        "Input tokens of images", absent: .input)
    case .audioInputTokens:
      Row("audioInputTokens", "audio-input-tokens", "audioInput", .input, "Input tokens of audio")
    case .audioOutputTokens:
      Row(
        "audioOutputTokens", "audio-output-tokens", "audioOutput", .output,
        "Output tokens of audio")
    case .imageOutputTokens:
      Row(
        "imageOutputTokens", "image-output-tokens", "imageOutput", .output,
        "Output tokens of images")
    case .cacheReadAudioTokens:
      Row(
        "cacheReadAudioTokens", "cache-read-audio-tokens", "cacheReadAudio", .input,
        "Input tokens of audio read from the provider's cache", absent: .cacheRead)
    case .cacheReadImageTokens:
      Row(
        "cacheReadImageTokens", "cache-read-image-tokens", "cacheReadImage", .input,
        "Input tokens of images read from the provider's cache", absent: .cacheRead)
    case .citationTokens:
      Row(
        "citationTokens", "citation-tokens", "citation", .output,
        "Tokens of the sources that an answer cites")
    case .webSearches:
      Row("webSearches", "web-searches", "webSearch", .calls, "Searches of the web")
    case .xSearches: Row("xSearches", "x-searches", "xSearch", .calls, "Searches of X")
    case .codeExecutions:
      Row(
        "codeExecutions", "code-executions", "codeExecution", .calls,
        "Runs of code at the provider")
    case .fileSearches:
      Row("fileSearches", "file-searches", "fileSearch", .calls, "Searches of stored files")
    case .documentSearches:
      Row(
        "documentSearches", "document-searches", "documentSearch", .calls,
        "Searches of attached documents")
    case .searchSources:
      Row("searchSources", "search-sources", "searchSource", .calls, "Sources that a search used")
    case .searchUnits:
      Row(
        "searchUnits", "search-units", "searchUnit", .calls,
        "Search units, each a query with the documents that it ranks")
    case .images: Row("images", "images", "image", .calls, "Images that are billed by number")
    case .pages: Row("pages", "pages", "page", .calls, "Pages of a document that were read")
    case .webSearchPreviews:
      Row(
        "webSearchPreviews", "web-search-previews", "webSearchPreview", .calls,
        "Searches of the web by OpenAI's preview tool")
    }
  }

  /// All of them, in their order. Not an array: the runtime would make a type for that at its first
  /// use, which costs 11,000 instructions.
  public struct AllCases: RandomAccessCollection, Sendable {
    public var startIndex: Int { 0 }
    public var endIndex: Int { UsageCount.total }

    public subscript(place: Int) -> UsageCount { UsageCount(at: place) }

    /// Searches like a sequence without its conformances. The runtime would make them at the start,
    /// in five pages that are not used otherwise.
    public func contains(where matches: (UsageCount) -> Bool) -> Bool {
      for place in startIndex..<endIndex where matches(self[place]) { return true }
      return false
    }
  }

  public static var allCases: AllCases { AllCases() }

  public static let total = Int(UsageCount.webSearchPreviews.rawValue) + 1

  /// The number of common counts, which have their own places in a usage.
  public static let commonTotal = 4

  /// Returns the count of a place in the order, from 0 on.
  public init(at place: Int) {
    self = UsageCount(rawValue: UInt8(truncatingIfNeeded: place)) ?? .inputTokens
  }
}
