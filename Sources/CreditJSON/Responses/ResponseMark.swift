/// A sign in a chunk of a response: a member that says something.
struct ResponseMark: Sendable {
  enum Test: Sendable {
    /// There, and not `null`.
    case isThere
    case isNull
    case isTrue
    case isFalse
    /// One of these texts.
    case says([StaticString])
    /// A text that begins like this.
    case begins(StaticString)
  }

  let member: MemberPath
  let test: Test

  init(_ member: MemberPath, _ test: Test = .isThere) {
    self.member = member
    self.test = test
  }

  func occurs(in chunk: SearchedObject) -> Bool {
    guard let value = member.value(in: chunk) else { return false }
    switch test {
    case .isThere: return !value.isNull
    case .isNull: return value.isNull
    case .isTrue: return value.bool == true
    case .isFalse: return value.bool == false
    case .says(let texts): return texts.contains { value.utf8Equals($0) }
    case .begins(let text): return value.withUTF8 { $0.starts(with: text) } ?? false
    }
  }
}

extension [ResponseMark] {
  /// Whether one of the marks is in a chunk.
  func anyOccurs(in chunk: SearchedObject) -> Bool { contains { $0.occurs(in: chunk) } }
}

extension UnsafeRawBufferPointer {
  fileprivate func starts(with text: StaticString) -> Bool {
    starts(with: UnsafeRawBufferPointer(text))
  }
}
