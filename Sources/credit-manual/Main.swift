internal import CreditBytes
internal import CreditManual
internal import CreditSystem

/// Writes the manual pages and completions of the package from its templates. The directory of the
/// package is the current one, if none is given.
@main
enum Main {
  static func main() {
    do {
      let root = try ThisProcess.arguments().first ?? "."
      for file in try GeneratedFile.all(in: root) {
        try OpenTextFile("\(root)/\(file.path)").replace(with: file.text)
      }
    } catch {
      var message = "credit-manual: \(error)\n"
      message.withUTF8 { StandardStreams().complain(Bytes($0)) }
      ThisProcess.exit(1)
    }
  }
}
