internal import CreditCommand
internal import CreditModel
internal import CreditSystem

/// The sentences that the manual adds to the summaries of flags and subcommands, and the meanings
/// of errors.
///
/// They are paragraphs of `man/src/*.txt`, in the markup of `Markup`. The first line of each names
/// its thing: `--tag`, or `--tag (credit-charge, credit-run)` for the flag of some tools alone, or
/// `credit-store init` for a subcommand, or the code of an error.
struct PageDetails {
  private(set) var texts: [String: String] = [:]

  init(in folder: String) throws(SystemError) {
    for name in try PosixSystem().names(in: folder) where name.hasSuffix(".txt") {
      let file = try TextFile.read("\(folder)/\(name)")
      var headings: [String] = []
      for line in file.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
        if line.isEmpty {
          headings = []
        } else if headings.isEmpty {
          headings = Self.headings(line)
        } else {
          for heading in headings { texts[heading, default: ""] += line + "\n" }
        }
      }
    }
  }

  /// Returns a heading's text for each of its tools: `--tag of credit-charge`.
  private static func headings(_ line: String) -> [String] {
    let parts = line.split(separator: "(")
    guard line.hasPrefix("--"), parts.count == 2 else { return [line] }
    return parts[1].dropLast().split(separator: " ").map { tool in
      parts[0] + "of " + (tool.hasSuffix(",") ? tool.dropLast() : tool)
    }
  }

  func of(_ flag: Flag) -> String { texts["--\(flag.name)"] ?? "" }

  func of(_ flag: Flag, in tool: Tool) -> String {
    texts["--\(flag.name) of \(tool.name)"] ?? of(flag)
  }

  func of(_ code: CreditError.Code) -> String { texts[code.rawValue] ?? "" }

  func of(_ subcommand: Subcommand, of tool: Tool) -> String {
    texts["\(tool.name) \(subcommand.name)"] ?? ""
  }
}
