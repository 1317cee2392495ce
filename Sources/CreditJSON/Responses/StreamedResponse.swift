import CreditModel

/// What the chunks of a response have said so far.
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
  /// Of the last chunk whose usage had none; `null` says less than anything else.
  private var unknown: ReportedUsage?
  private var isOwnForm = false
  private var batch: BatchLine?
  /// The failure in the only chunk, if it has no usage, form or error.
  private var plainFailure: ResponseFailure?
  private var unread: [String] = []
  private var grounding = Grounding()
  private var tools = ShownTools()
  /// The model that is billed, and the paths of the others, if a program ran several.
  private var mainModel: String?
  private var otherModels: [String] = []
  private var reportedUSD: ExactDecimal?
  private var costIsNegative = false

  init(isStream: Bool) {
    self.isStream = isStream
  }

  var hasFailed: Bool { failure != nil }

  /// Whether anything has come that is of a response.
  var hasBegun: Bool { course.form != nil || usage != nil || hasFailed }

  /// Whether nothing that has come is of a response or of a failure.
  var saysNothing: Bool { !hasBegun && unknown == nil && plainFailure == nil }

  mutating func add(_ chunk: JSONValue) {
    let object = SearchedObject(chunk)
    guard let line = BatchLine(object) else { return addChunk(object) }
    batch = line
    if failure == nil { failure = line.failure }
    if let body = line.body(in: chunk) { addChunk(SearchedObject(body)) }
  }

  private mutating func addChunk(_ chunk: SearchedObject) {
    if model == nil { model = chunk.providerModel }
    grounding.add(chunk)
    tools.add(chunk)
    var hasUsage = false
    switch UsageFinding(in: chunk) {
    case .known(let shape, let usage):
      isOwnForm = shape.isOwnForm
      hasUsage = true
      if let cost = chunk.providerCost(usage) {
        reportedUSD = cost
      } else if chunk.costIsNegative(usage) {
        costIsNegative = true
      }
      let models = shape.isOwnForm ? nil : ModelUsages(in: chunk)
      mainModel = models?.main?.model
      otherModels = models?.unread ?? []
      add(usage, shape, in: chunk)
    case .unknown(let usage):
      if unknown == nil || !usage.isNull { unknown = .unknown(usage) }
    case .none: break
    }
    if failure == nil { failure = ResponseFailure(in: chunk, hasUsage: hasUsage, isResponse: true) }
    course.add(chunk, usage: hasUsage ? usage : nil)
    plainFailure = hasBegun ? nil : ResponseFailure(plain: chunk.value)
  }

  private mutating func add(_ usage: JSONValue, _ shape: UsageShape, in chunk: SearchedObject) {
    do throws(UsageProblem) {
      let latest = try TokenCounts(of: usage, shape, in: chunk)
      let counts = self.counts?.followed(by: latest) ?? latest
      self.counts = counts
      self.usage = .counts(try counts.usage)
      unread = counts.unread
    } catch {
      self.usage = .unreadable(usage, error)
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
    let (usage, untold) = grounding.added(to: usage ?? unknown ?? .missing, of: model)
    var reading = UsageReading(
      isResponse: !isOwnForm, usage: batch == nil ? usage : usage.served(as: "batch"),
      responseModel: model ?? mainModel)
    reading.batch = batch
    reading.unread =
      unread + untold + (isOwnForm ? [] : tools.unread(beside: usage)) + otherModels
    reading.reportedUSD = reportedUSD
    reading.costIsNegative = reportedUSD == nil && costIsNegative
    if let failure = failure ?? plainFailure {
      reading.outcome = .refused(failure.error)
    } else if course.isDoubled {
      reading.outcome = .refused(Self.doubled)
    } else if !course.isComplete(isStream: isStream) || isCutOff && course.form == nil {
      reading.outcome = .cut(course.form)
    }
    return reading
  }

  private static let doubled = CreditError(
    .invalidUsage,
    "there are two responses, and --response takes one; to bill several, put each on a line of its "
      + "own and leave --response out")
}
