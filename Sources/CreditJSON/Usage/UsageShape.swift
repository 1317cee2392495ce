/// How one family of providers writes what a call used: one row of `UsageShape.all`.
///
/// A class, so that a row is handed on as one reference.
final class UsageShape: Sendable {
  /// What to make of a count that is not there.
  enum Absence: Sendable {
    /// The usage cannot be read.
    case refused
    /// The count is 0, as the provider leaves out what is 0, unless a total says that there was more.
    case zero
    /// The count is 0 if there is a total, and it says that there was no more.
    case zeroByTotal
  }

  /// What the input's count has to do with the cache's.
  enum CacheCounts: Sendable {
    /// The cache's counts are part of the input's.
    case insideInput
    /// The cache's counts come on top of the input's.
    case besideInput
  }

  /// What a later usage of the same stream does to an earlier one.
  enum Streaming: Sendable {
    /// It takes its place.
    case replacesUsage
    /// Its counts take the place of those of the same names.
    case replacesCounts
  }

  let name: StaticString
  /// The provider's page on these members: for who reads or checks the table, not for the tools.
  let documentation: StaticString
  /// Of the members of `anyOf` one is there, of `alsoAnyOf` one if there are any, of `noneOf` none.
  let anyOf: [MemberPath]
  let alsoAnyOf: [MemberPath]
  let noneOf: [MemberPath]

  let input: MemberPath
  let absentInput: Absence
  /// Input that the count at `input` leaves out.
  let furtherInput: MemberPath?
  let output: MemberPath
  let absentOutput: Absence
  /// Output that the count at `output` leaves out.
  let furtherOutput: MemberPath?
  /// Output that the count at `output` leaves out exactly where the total shows it.
  let reasoning: [MemberPath]
  /// The sum that the provider writes, which is never billed.
  let total: MemberPath?
  /// Names of one number each: the first that is not 0 counts.
  let cacheRead: [MemberPath]
  let cacheWrite: [MemberPath]
  let cacheCounts: CacheCounts

  let streaming: Streaming
  /// Usages of the steps that the call took, for a shape whose own counts may leave some out.
  let iterations: MemberPath?
  /// Whether it is a request's form, in which `null` is no count and the model is the request's.
  let isOwnForm: Bool
  /// Whether `input` counts units rather than tokens.
  let isUnits: Bool

  init(
    _ name: StaticString, _ documentation: StaticString,
    anyOf: [MemberPath], alsoAnyOf: [MemberPath] = [], noneOf: [MemberPath] = [],
    input: MemberPath, absentInput: Absence = .refused, furtherInput: MemberPath? = nil,
    output: MemberPath, absentOutput: Absence = .refused, furtherOutput: MemberPath? = nil,
    reasoning: [MemberPath] = [], total: MemberPath? = nil,
    cacheRead: [MemberPath] = [], cacheWrite: [MemberPath] = [],
    cacheCounts: CacheCounts = .besideInput, streaming: Streaming = .replacesUsage,
    iterations: MemberPath? = nil, isOwnForm: Bool = false, isUnits: Bool = false
  ) {
    self.name = name
    self.documentation = documentation
    self.anyOf = anyOf
    self.alsoAnyOf = alsoAnyOf
    self.noneOf = noneOf
    self.input = input
    self.absentInput = absentInput
    self.furtherInput = furtherInput
    self.output = output
    self.absentOutput = absentOutput
    self.furtherOutput = furtherOutput
    self.reasoning = reasoning
    self.total = total
    self.cacheRead = cacheRead
    self.cacheWrite = cacheWrite
    self.cacheCounts = cacheCounts
    self.streaming = streaming
    self.iterations = iterations
    self.isOwnForm = isOwnForm
    self.isUnits = isUnits
  }

  /// Whether a usage is of this shape.
  func fits(_ usage: JSONValue) -> Bool {
    anyOf.contains { $0.isPresent(in: usage) }
      && (alsoAnyOf.isEmpty || alsoAnyOf.contains { $0.isPresent(in: usage) })
      && !noneOf.contains { $0.isPresent(in: usage) }
  }

  /// Two counts of a usage that are not of one shape: one of this one's and one that rules it out.
  func contradiction(in usage: JSONValue) -> (MemberPath, MemberPath)? {
    guard let count = anyOf.first(where: { $0.isPresent(in: usage) }),
      let other = noneOf.first(where: { $0.isPresent(in: usage) })
    else { return nil }
    return (count, other)
  }
}
