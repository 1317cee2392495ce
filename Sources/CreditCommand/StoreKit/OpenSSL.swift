internal import CreditModel
internal import CreditSystem

/// The `openssl` command: it does all the cryptography. What it reads comes through pipes, so that
/// nothing is left behind wherever this process is ended.
final class OpenSSL {
  let system: any SystemCalls
  private let environment: (String) -> String?
  private var command: String?

  /// - Parameter environment: says where the command is.
  init(_ system: any SystemCalls, environment: @escaping (String) -> String?) {
    self.system = system
    self.environment = environment
  }

  /// Outcome of one `openssl` run. Each subcommand's caller decides whether it is a verdict, and
  /// which: it is one only if status and output show that `openssl` has looked at its input.
  struct Result {
    fileprivate let subcommand: String
    let status: Int32
    fileprivate let output: [UInt8]

    var lines: [Substring] {
      String(decoding: output, as: UTF8.self).split(separator: "\n")
    }
  }

  /// Runs a subcommand. It sees nothing of this process's environment, so that no variable can name
  /// other certificates to trust.
  /// - Parameter input: what it reads from its standard input.
  /// - Throws: `unavailable` if there is no `openssl` that can be run to its end.
  func run(
    _ subcommand: String, _ arguments: [ChildProcess.Argument], input: [UInt8]
  ) throws(CreditError) -> Result {
    let child = ChildProcess(
      try locate(), [.text(subcommand)] + arguments, input: input,
      environment: ["LC_ALL=C", "OPENSSL_CONF=/dev/null"])
    let ending: ChildProcess.Ending
    do {
      ending = try child.run()
    } catch {
      throw Self.unavailable("\(error)")
    }
    guard let status = ending.status else {
      throw Self.unavailable("it did not end by itself")
    }
    return Result(subcommand: subcommand, status: status, output: ending.output)
  }

  /// The error where a run came to no verdict.
  func unavailable(_ result: Result) -> CreditError {
    Self.unavailable("\(result.subcommand) came to no verdict (status \(result.status))")
  }

  private static func unavailable(_ problem: String) -> CreditError {
    CreditError(.unavailable, "openssl can't be used: \(problem)")
  }

  /// Finds the command through the PATH, of which only absolute folders count.
  private func locate() throws(CreditError) -> String {
    if let command { return command }
    let path = environment("PATH") ?? "/usr/bin:/bin"
    for folder in path.split(separator: ":") where folder.hasPrefix("/") {
      let candidate = "\(folder)/openssl"
      if ChildProcess.isExecutable(candidate) {
        command = candidate
        return candidate
      }
    }
    throw CreditError(
      .unavailable,
      "there is no openssl command in the PATH, which verifies signatures of the App Store")
  }
}
