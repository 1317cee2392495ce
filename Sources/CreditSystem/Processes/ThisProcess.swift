internal import CLibrary
internal import CShims

/// What the process was started with, and how it ends.
package enum ThisProcess {
  /// Something that the process was given and that is not UTF-8. Repaired, it might name another
  /// account or another store.
  package struct NotText: Error {
    /// What was given: `argument 3`, `CREDIT_STORE in the environment`.
    package let what: String
  }

  /// What the process was called by: a path or a name; empty where it was started without one.
  package static var path: String {
    guard let bytes = texts.first ?? nil else { return "" }
    return String(validatingCString: bytes) ?? ""
  }

  /// The arguments after the process's name.
  package static func arguments() throws(NotText) -> [String] {
    var arguments: [String] = []
    for (index, bytes) in texts.enumerated().dropFirst() {
      guard let bytes else { break }
      guard let argument = String(validatingCString: bytes) else {
        throw NotText(what: "argument \(index)")
      }
      arguments.append(argument)
    }
    return arguments
  }

  /// What the process was started with, its name first.
  private static var texts: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?> {
    #if os(Linux)
      var count: Int32 = 0
      let start = process_arguments(&count)
    #else
      let (start, count) = (UnsafePointer(CommandLine.unsafeArgv), CommandLine.argc)
    #endif
    return UnsafeBufferPointer(start: start, count: Int(count))
  }

  /// The value of an environment variable; nil where it is not set.
  package static func variable(_ name: String) throws(NotText) -> String? {
    guard let bytes = getenv(name) else { return nil }
    guard let value = String(validatingCString: bytes) else {
      throw NotText(what: "\(name) in the environment")
    }
    return value
  }

  /// Ends the process as a reader does that goes away.
  package static func dieOfBrokenPipe() { SignalRelay.die(of: SIGPIPE) }

  /// Ends the process.
  package static func exit(_ status: Int32) -> Never {
    CLibrary.exit(status)
  }
}
