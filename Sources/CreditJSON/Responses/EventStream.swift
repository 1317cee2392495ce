import CreditModel

/// The JSON values of server-sent events (WHATWG HTML, section 9.2).
struct EventStream {
  /// The word that closes OpenAI's streams appears as this string among the values.
  static let closingWord: StaticString = "DONE"

  /// The start of the first event named as an error; nil without one.
  private(set) var errorStart: Int?

  /// Overwrites everything except data with spaces, so that each byte of the data keeps its place.
  ///
  /// That is a byte order mark, the names of fields, and comments. The word that ends OpenAI's
  /// streams becomes a string.
  /// - Returns: nil for text that is not an event stream, which keeps all but a byte order mark.
  init?(blanking text: MutableBytes) {
    if text.starts(with: [0xef, 0xbb, 0xbf]) { text[..<3].blank() }
    guard let start = text.firstIndex(where: { !$0.isJSONSpace }), Self.isField(text[start...]),
      !Self.isMessage(text[start...])
    else { return nil }
    var lineStart = start
    while lineStart < text.count {
      let rest = text[lineStart...]
      let lineEnd = rest.firstIndex { $0 == .lineFeed || $0 == .carriageReturn } ?? text.count
      let line = text[lineStart..<lineEnd]
      if errorStart == nil, Self.namesError(line) { errorStart = lineStart }
      Self.blankLine(line)
      // A carriage return ends a line, too, but lines are counted by their line feeds.
      if lineEnd < text.count, text[lineEnd] == .carriageReturn,
        lineEnd + 1 == text.count || text[lineEnd + 1] != .lineFeed
      {
        text[lineEnd] = .lineFeed
      }
      lineStart = lineEnd + 1
    }
  }

  /// Returns true if a text begins as a command's message, such as `curl: (6) Could not …`: with an
  /// unknown field, and no data.
  private static func isMessage(_ text: Slice<MutableBytes>) -> Bool {
    let line = Array(text.prefix { $0 != .lineFeed })
    if beginsField(line) || line.elementsEqual("data".utf8) { return false }
    return !text.indices.contains { place in
      (place == text.startIndex || text[place - 1] == .lineFeed)
        && text[place...].starts(with: "data".utf8)
    }
  }

  /// Whether a line has a field or a comment. A line that has neither is left for the scanner.
  private static func isField(_ line: Slice<MutableBytes>) -> Bool {
    let name = line.prefix { $0.isFieldName }
    if name.endIndex < line.endIndex, line[name.endIndex] == UInt8(ascii: ":") { return true }
    return isData(name)
      && (name.endIndex == line.endIndex || line[name.endIndex] == .lineFeed
        || line[name.endIndex] == .carriageReturn)
  }

  /// Returns true if text begins with a known field's name or a comment.
  static func beginsField(_ text: [UInt8]) -> Bool {
    let name = text.prefix { $0.isFieldName }
    guard name.endIndex < text.count, text[name.endIndex] == UInt8(ascii: ":") else { return false }
    let names: [StaticString] = ["", "data", "event", "id", "retry"]
    return names.contains { Bytes($0).elementsEqual(name) }
  }

  private static func isData(_ name: Slice<MutableBytes>) -> Bool {
    name.elementsEqual("data".utf8)
  }

  static func namesError(_ line: Slice<MutableBytes>) -> Bool {
    line.starts(with: "event:".utf8)
      && line.dropFirst(6).drop { $0.isJSONSpace }.elementsEqual("error".utf8)
  }

  /// Overwrites the parts of a line that are not data with spaces.
  static func blankLine(_ line: Slice<MutableBytes>) {
    guard isField(line) else { return }
    let name = line.prefix { $0.isFieldName }
    guard isData(name), name.endIndex < line.endIndex else { return line.blank() }
    let value = line[(name.endIndex + 1)...].drop { $0.isJSONSpace }
    if value.starts(with: "[DONE]".utf8) {
      line.blank()
      let closingWord = Bytes(closingWord)
      let quotes = MutableBytes(rebasing: value.prefix(6))
      quotes[0] = UInt8(ascii: "\"")
      MutableBytes(rebasing: quotes[1...]).copyMemory(from: closingWord)
      quotes[5] = UInt8(ascii: "\"")
    } else {
      line[...name.endIndex].blank()
    }
  }
}

extension Slice<MutableBytes> {
  fileprivate func blank() { MutableBytes(rebasing: self).fill(UInt8(ascii: " ")) }
}

extension UInt8 {
  static let carriageReturn = UInt8(ascii: "\r")

  /// Whether the byte is an ASCII letter. The names of fields are made of these.
  fileprivate var isFieldName: Bool {
    (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z")
  }
}

/// The state of a response after its chunks so far.
struct StreamedResponse {
  /// Whether it was sent as a stream. Its contents do not matter.
  var isStream: Bool
  /// Whether its text ends within a value.
  var isCutOff = false
  private var course = ResponseCourse()
  private var failure: ResponseFailure?
  private var model: String?
  private var counts: TokenCounts?
  /// Of the last chunk whose usage had a known shape.
  private var usage: ReportedUsage?
  /// The last chunk's unknown usage; `null` counts least.
  private var unknown: ReportedUsage?
  private var isOwnForm = false
  /// Whether it is a line that may be a request of our own.
  private let isLine: Bool
  /// True if the result that it shows decides without a usage.
  private let isJudged: Bool
  /// Whether it is known to be a provider's.
  private var isResponse: Bool
  private var isRequest = false
  private var batch: BatchLine?
  /// The failure in the only chunk, if it has no usage, form, error or result.
  private var plainFailure: ResponseFailure?
  /// The result in the first chunk, if that has no usage or no known form.
  private var shown: ShownResult?
  private var isCounted = false
  /// True if a usage counts images, even none.
  private var countsImages = false
  /// True after a further chunk of no known form that shows a result.
  private var showsSecond = false
  /// True if that may be of a request whose caller knows the result.
  private var isOwn = false
  private var unread: [String] = []
  private var grounding = Grounding()
  private var content = ShownContent()
  /// The model that is billed, and the paths of the others, if a program ran several.
  private var mainModel: String?
  private var otherModels: [String] = []
  private var reportedUSD: ExactDecimal?
  private var costIsNegative = false

  /// Members that responses have and requests lack.
  private static let telling: MemberPaths = [
    "object", "choices", "candidates", "response", "usageMetadata",
  ]

  init(isStream: Bool, isLine: Bool = false, isJudged: Bool = true) {
    (self.isStream, self.isLine, self.isJudged) = (isStream, isLine, isJudged)
    isResponse = !isLine
  }

  var hasFailed: Bool { failure != nil }

  /// Whether anything has come that is of a response.
  var hasBegun: Bool { course.form != nil || usage != nil || hasFailed }

  var isUnrecognized: Bool { !hasBegun && unknown == nil && plainFailure == nil }

  /// Takes the next chunk.
  /// - Parameter countsShown: whether its results count beside a usage, by the model's name.
  mutating func add(_ chunk: JSONValue, countsShown: (String?) -> Bool = { _ in true }) {
    let object = SearchedObject(chunk)
    guard let line = BatchLine(object) else { return addChunk(object, countsShown) }
    batch = line
    if failure == nil { failure = line.failure }
    if let body = line.body(in: chunk) { addChunk(SearchedObject(body), countsShown) }
  }

  private mutating func addChunk(_ chunk: SearchedObject, _ countsShown: (String?) -> Bool) {
    if model == nil { model = chunk.providerModel }
    grounding.add(chunk)
    content.add(chunk)
    var hasUsage = false
    switch UsageFinding(in: chunk) {
    case .known(let shape, let counts):
      let usage = counts.value
      countsImages =
        shape === UsageShape.countedImages
        && (usage.member("generated_images") ?? usage.member("image_count")) != nil
      isOwnForm = shape.isOwnForm
      isResponse = !isOwnForm
      isRequest =
        isRequest || isOwnForm && (chunk.string("account") ?? chunk.string("key")) != nil
      hasUsage = true
      if let cost = chunk.providerCost(counts) {
        reportedUSD = cost
      } else if chunk.costIsNegative(counts) {
        costIsNegative = true
      }
      let models = shape.isOwnForm ? nil : ModelUsages(in: chunk)
      mainModel = models?.main?.model
      otherModels = models?.unread ?? []
      do throws(UsageProblem) {
        var known = try TokenCounts(of: usage, shape, in: chunk)
        if let before = self.counts { known = before.followed(by: known) }
        if !isLine { self.counts = known }
        self.usage = .counts(try known.usage)
        unread = known.unread
      } catch {
        self.usage = .unreadable(usage, error)
      }
    case .unknown(let usage):
      if unknown == nil || !usage.isNull { unknown = .unknown(usage) }
      isResponse = isResponse || Self.telling.first(in: chunk, where: { !$0.isNull }) != nil
    case .none: break
    }
    course.add(chunk, usage: hasUsage ? usage : nil)
    let isEmpty = isLine && chunk.value.nodeCount == 1
    if course.isSingle, isJudged, !isEmpty, !isStream,
      !hasUsage || course.form == nil && !isOwnForm && countsShown(model ?? mainModel)
    {
      shown = ShownResult.of(chunk.value)
      isCounted = hasUsage
      isOwn = isLine && batch == nil && chunk.member("response")?.isObject != true
      if isOwn, case .pending = shown, ShownResult.isOfCaller(chunk.value) { shown = .unknown }
    } else if case .products? = shown, isJudged, course.form == nil,
      case .products = ShownResult.of(chunk.value)
    {
      showsSecond = true
    }
    if failure == nil, !isLine || !isOwnForm {
      failure = ResponseFailure(
        in: chunk, hasUsage: hasUsage, isResponse: isResponse || isJudged, beside: shown)
    }
    switch shown {
    case _ where isLine, .products, .pending: plainFailure = nil
    default: plainFailure = hasBegun ? nil : ResponseFailure(plain: chunk.value)
    }
  }

  /// Takes the word that closes a stream of events.
  mutating func addWord() { course.addWord() }

  /// Takes the data of an event that is named as an error. Nil if it has none.
  mutating func fail(_ data: JSONValue?) {
    guard failure == nil else { return }
    failure =
      data.map { ResponseFailure.error(of: SearchedObject($0)) ?? ResponseFailure(of: $0) }
      ?? ResponseFailure(kind: "error", message: nil)
  }

  var reading: UsageReading {
    let known = self.usage ?? unknown ?? .missing
    let isChat = isStream && course.form?.endsByWord == true
    let model = model ?? mainModel
    let (usage, untold) = grounding.added(to: isChat ? known.ofChat : known, of: model)
    let reading = UsageReading(
      isResponse: isResponse, usage: batch == nil ? usage : usage.served(as: "batch"),
      responseModel: isLine && !isResponse ? nil : model)
    reading.batch = batch
    reading.isRequest = isRequest
    reading.unread = unread
    reading.add(unread: untold)
    if !isOwnForm { reading.add(unread: content.unread(beside: usage)) }
    reading.add(unread: otherModels)
    // Our own form has no outcome: other members are not a provider's.
    if isLine, failure == nil, isOwnForm || !isJudged && !isResponse { return reading }
    reading.reportedUSD = reportedUSD
    reading.costIsNegative = reportedUSD == nil && costIsNegative
    var problem: CreditError?
    if course.isSingle, let shown {
      if case .products(let count) = shown { reading.productCount = count }
      if known.isAbsent { problem = shown.problem(course.form, isOwn: isOwn) }
      if case .pending = shown { reading.isPending = problem != nil }
    }
    if isJudged, content.images > 0 { reading.productCount = content.images }
    if countsImages { reading.productCount = 0 }
    if let error = failure?.error ?? plainFailure?.error ?? problem {
      reading.outcome = .refused(error)
    } else if course.hasSecond || course.repeats || showsSecond && (isCounted || known.isAbsent)
      || isCutOff && course.isOver(isStream: isStream)
    {
      reading.outcome = .refused(Self.doubled)
    } else if !course.isComplete(isStream: isStream) || isCutOff && course.form == nil {
      reading.outcome = .cut(course.form)
    }
    return reading
  }

  private static let doubled = CreditError(
    .invalidUsage,
    "there are two responses, and --response takes one: bill each by its own call, or leave "
      + "--response out and give each line its account and key: "
      + #"jq -c '.account="NAME" | .key=.id'"#)
}
