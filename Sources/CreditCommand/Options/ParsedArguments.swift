/// A command line that was understood: the flags given, each with its value in the form it must have.
package struct ParsedArguments: Sendable {
  package let tool: Tool
  /// The subcommand; nil if the tool has none, or only help or the version is asked for.
  package internal(set) var subcommand: Subcommand?
  /// What was given, in the order of the command line. A flag without a value has an empty one.
  package internal(set) var given: [Given] = []

  /// A flag as it was given.
  package final class Given: Sendable {
    package let option: Option
    package let value: String

    init(_ option: Option, _ value: String) {
      self.option = option
      self.value = value
    }
  }

  init(_ tool: Tool) {
    self.tool = tool
  }

  /// Whether the flag was given, with a value or without.
  package func has(_ name: String) -> Bool {
    assert(declares(name), "\(tool.name) has no flag --\(name)")
    return given.contains { $0.option.name == name }
  }

  /// The flag's value as it stands, or nil if it wasn't given.
  package func text(_ name: String) -> String? {
    assert(declares(name), "\(tool.name) has no flag --\(name)")
    return given.first { $0.option.name == name }?.value
  }

  /// The value of an integer flag, or nil if it wasn't given.
  package func integer(_ name: String) -> Int64? { text(name).flatMap { Int64($0) } }

  /// Every value of a repeatable flag, in order.
  package func values(_ name: String) -> [String] {
    assert(declares(name), "\(tool.name) has no flag --\(name)")
    return given.filter { $0.option.name == name }.map(\.value)
  }

  /// The flags given that are members of a request.
  package var members: [Given] { given.filter { $0.option.member != nil } }

  /// Whether the flags alone make a whole request, so that standard input isn't to be read.
  package var isWholeRequest: Bool {
    tool.wholeRequests.contains { form in
      form.parts.allSatisfy { part in part.flags.contains { has($0) } }
    }
  }

  /// Whether the tool knows the flag at all, under any subcommand: else a look-up is misspelt.
  private func declares(_ name: String) -> Bool {
    tool.options.contains { $0.name == name }
      || CommonOptions.all.contains { $0.name == name }
      || tool.subcommands.contains { $0.options.contains { $0.name == name } }
  }
}
