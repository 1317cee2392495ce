package import CreditModel

/// The texts of a tool's help and manual page, in the markup of `Markup`.
package struct Manual: Sendable {
  /// The forms of what may follow the tool's name, one a line.
  package let synopsis: [String]
  /// The first block is what help says, too.
  package let description: [Block]
  /// Further sections between the flags and the environment.
  package let sections: [Section]
  package let examples: [Example]
  /// The errors of its own, beside those of every tool.
  package let errors: [CreditError.Code]
  /// Names of the tools to read about next.
  package let seeAlso: [String]

  init(
    synopsis: [String], description: [Block], sections: [Section] = [], examples: [Example],
    errors: [CreditError.Code] = [], seeAlso: [String]
  ) {
    self.synopsis = synopsis
    self.description = description
    self.sections = sections
    self.examples = examples
    self.errors = errors
    self.seeAlso = seeAlso
  }
}

/// A piece of text between two blank lines.
package enum Block: Sendable {
  case text(String)
  /// Lines shown as they are.
  case code(String)
  case terms([Term])
  /// A heading row and rows of the same length.
  case table([[String]])
}

/// An entry of a list: what it is about, and what is said of it.
package struct Term: Sendable {
  package let term: String
  package let text: String

  package init(_ term: String, _ text: String) {
    self.term = term
    self.text = text
  }
}

/// A titled part of a manual page.
package struct Section: Sendable {
  package let title: String
  package let blocks: [Block]

  package init(_ title: String, _ blocks: [Block]) {
    self.title = title
    self.blocks = blocks
  }
}

/// A command to learn from: what it is for, the command, and what it prints.
package struct Example: Sendable {
  package let text: String
  package let command: String
  package let output: String

  package init(_ text: String, _ command: String, output: String = "") {
    self.text = text
    self.command = command
    self.output = output
  }
}
