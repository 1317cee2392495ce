internal import CreditCommand

/// The texts for the places of the shells' scripts, from the tools' declarations.
enum CompletionText {
  static func text(_ place: String, of script: String) -> String? {
    switch place {
    case "notice": PageText.notice
    case "tool-names": ToolSuite.all.map(\.name).joined(separator: " ")
    case "tool-words": words(ToolName.allCases)
    case "schemas": SchemaCommand.Noun.allCases.map(\.rawValue).joined(separator: " ")
    case "request-tools": words(SchemaCommand.tools(with: .request))
    case "result-tools": words(SchemaCommand.tools(with: .result))
    default:
      switch script {
      case "credit-tools.bash": BashCompletion.text(place)
      case "credit-tools.fish": FishCompletion.text(place)
      default: ZshCompletion.text(place)
      }
    }
  }

  private static func words(_ tools: [ToolName]) -> String {
    tools.map(\.rawValue).joined(separator: " ")
  }
}

/// The values that a shell offers for a flag.
enum OfferedValues: Equatable {
  case noValue
  case files, folders, zones
  /// Words between spaces.
  case words(String)
  /// Names that the store has; `credit complete` prints those of a kind.
  case names(String)
  /// The value is free.
  case nothing
}

extension Flag {
  /// Whether it is completed alike with every tool.
  var isShared: Bool { group == .common && name != "get" }

  /// - Parameter tool: the tool whose results `--get` has members of; nil for a shared flag.
  func offered(by tool: Tool?) -> OfferedValues {
    switch kind {
    case .text(.members): tool.map { .words($0.resultMembers.joined(separator: " ")) } ?? .nothing
    case .alone: .noValue
    case .text(.path): .files
    case .text(.store): .folders
    case .text(.zone): .zones
    case .text(.choice(let words)): .words(words.joined(separator: " "))
    case .truth: .words("true false")
    case .text(.name(let names)), .authorization(let names): .names(names.rawValue)
    case .text(.limit): .names(NameKind.limit.rawValue)
    case .text(.list(let words)) where !words.isEmpty: .words(words.joined(separator: " "))
    case .text(.any), .text(.server), .text(.tag), .text(.list), .number, .span, .time: .nothing
    }
  }
}

extension String {
  /// The text with another in the place of a character. (The standard way is a part of the regular
  /// expressions, which are left out of `Sources`.)
  func replacing(_ character: Character, with text: String) -> String {
    reduce(into: "") { $0 += $1 == character ? text : String($1) }
  }
}
