internal import CLibrary
internal import CShims

/// Arguments and environment of this process, and its end.
package enum ThisProcess {
  /// Something that the process was given and that is not UTF-8. Repaired, it might name another
  /// account or another store.
  package struct NotText: Error {
    /// Name of the text: `argument 3`, `CREDIT_STORE in the environment`.
    package let what: String
  }

  /// Path or name that the process was called by, or empty if it got no name.
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

  /// The texts that the process was started with, its name first.
  private static var texts: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?> {
    #if os(Linux)
      var count: Int32 = 0
      let start = process_arguments(&count)
    #else
      let (start, count) = (UnsafePointer(CommandLine.unsafeArgv), CommandLine.argc)
    #endif
    return UnsafeBufferPointer(start: start, count: Int(count))
  }

  /// Returns the value of an environment variable; nil if it is not set.
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
