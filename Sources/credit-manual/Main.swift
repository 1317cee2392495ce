internal import CreditManual
internal import CreditSystem

/// Writes the manual pages and completions below a directory: that of the package, if none is
/// given.
@main
enum Main {
  static func main() {
    do {
      let root = try ThisProcess.arguments().first ?? "."
      for folder in ["man", "completions"] { try TextFile.makeFolder("\(root)/\(folder)") }
      for file in GeneratedFile.all { try TextFile.write(file.text, to: "\(root)/\(file.path)") }
    } catch {
      var message = "credit-manual: \(error)\n"
      message.withUTF8 { StandardStreams().complain(UnsafeRawBufferPointer($0)) }
      ThisProcess.exit(1)
    }
  }
}
