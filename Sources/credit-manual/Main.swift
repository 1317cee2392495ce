internal import CreditManual

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Writes the manual pages and completions below a directory: that of the package, if none is given.
@main
enum Main {
  static func main() {
    let root = CommandLine.arguments.dropFirst().first ?? "."
    for directory in ["man", "completions"] { mkdir("\(root)/\(directory)", 0o777) }
    for file in GeneratedFile.all where !write(file.text, to: "\(root)/\(file.path)") {
      perror("credit-manual: \(root)/\(file.path)")
      exit(EXIT_FAILURE)
    }
  }

  private static func write(_ text: String, to path: String) -> Bool {
    guard let file = fopen(path, "w") else { return false }
    let bytes = Array(text.utf8)
    let isWhole = fwrite(bytes, 1, bytes.count, file) == bytes.count
    return fclose(file) == 0 && isWhole
  }
}
