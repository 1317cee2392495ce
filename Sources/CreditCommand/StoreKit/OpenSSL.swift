internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// The `openssl` command: it does all the cryptography.
final class OpenSSL {
  let system: any SystemCalls
  private let environment: (String) -> String?
  private var command: String?

  /// - Parameter environment: says where the command and the folder for temporary files are.
  init(_ system: any SystemCalls, environment: @escaping (String) -> String?) {
    self.system = system
    self.environment = environment
  }

  /// Lets `body` write files and run commands on them. The files are gone afterwards, also where the
  /// user or the system wants the process to end meanwhile: that waits.
  /// - Throws: what `body` throws; `unavailable` where there is no `openssl` to be run.
  func withSession(_ body: (Session) throws(CreditError) -> Void) throws(CreditError) {
    let command = try locate()
    let shield = SignalShield()
    defer { shield.lower() }
    let folder: ScratchFolder
    do {
      folder = try ScratchFolder(in: environment("TMPDIR"), system)
    } catch {
      throw Session.unavailable("\(error)")
    }
    defer { folder.remove() }
    try body(Session(command: command, folder: folder, shield: shield))
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

  /// A few runs of the command on files of their own.
  struct Session {
    let command: String
    let folder: ScratchFolder
    let shield: SignalShield

    /// What one run came to. Whether that is a verdict, and which, is for each command to say: only
    /// what it ends with and prints where it has looked at what it was given.
    struct Result {
      let command: String
      let status: Int32
      let output: [UInt8]

      var lines: [Substring] {
        String(decoding: output, as: UTF8.self).split(separator: "\n")
      }
    }

    fileprivate static func unavailable(_ problem: String) -> CreditError {
      CreditError(.unavailable, "openssl can't be used: \(problem)")
    }

    /// The error where a run came to no verdict.
    func unavailable(_ result: Result) -> CreditError {
      Self.unavailable("\(result.command) came to no verdict (status \(result.status))")
    }

    func path(_ name: String) -> String { folder.path(of: name) }

    func write(_ bytes: [UInt8], to name: String) throws(CreditError) {
      do {
        try folder.write(bytes, to: name)
      } catch {
        throw Self.unavailable("\(error)")
      }
    }

    /// Runs the command. It sees nothing of this process's environment, so that no variable can name
    /// other certificates to trust.
    func run(_ arguments: [String]) throws(CreditError) -> Result {
      if shield.isHit { throw Self.unavailable("the process is to end") }
      let child = ChildProcess(
        command, arguments, environment: ["LC_ALL=C", "OPENSSL_CONF=/dev/null"])
      let ending: ChildProcess.Ending
      do {
        ending = try child.run(shield)
      } catch {
        throw Self.unavailable("\(error)")
      }
      guard let status = ending.status else {
        throw Self.unavailable("it did not end by itself")
      }
      return Result(command: arguments.first ?? "", status: status, output: ending.output)
    }
  }
}
