/// A flag and the flags that cannot be given beside it.
package final class Exclusion: Sendable {
  package let flag: Flag
  package let others: [Flag]

  init(_ flag: Flag, _ others: [Flag]) {
    self.flag = flag
    self.others = others
  }

  /// The flags that cannot be given beside a flag, by this rule.
  package func excluded(by flag: Flag) -> [Flag] {
    if flag.name == self.flag.name { return others }
    return others.contains { $0.name == flag.name } ? [self.flag] : []
  }
}

/// A flag and the flags of which one must be given beside it.
package final class Requirement: Sendable {
  package let flag: Flag
  package let others: [Flag]

  init(_ flag: Flag, _ others: [Flag]) {
    self.flag = flag
    self.others = others
  }
}

/// A form of the command line: one flag of each part is given.
package final class CommandForm: Sendable {
  package let parts: [Part]

  init(_ parts: Part...) {
    self.parts = parts
  }

  /// Flags of which one is given.
  package final class Part: Sendable, ExpressibleByArrayLiteral {
    package let flags: [Flag]
    /// What a message says where this part alone is missing; nil for the usual sentence.
    let need: String?

    init(_ flags: [Flag], need: String? = nil) {
      self.flags = flags
      self.need = need
    }

    package convenience init(arrayLiteral flags: Flag...) {
      self.init(flags)
    }
  }
}
