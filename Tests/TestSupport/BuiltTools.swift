import Foundation

/// The executables under test.
enum BuiltTools {
  /// Their folder: `CREDIT_TOOLS_BIN`, else that of the built tests.
  static var folder: String {
    if let chosen = ProcessInfo.processInfo.environment["CREDIT_TOOLS_BIN"] { return chosen }
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    return (bundle ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent().path
  }
}

/// The working copy that the tests were built from.
enum Checkout {
  /// The folder of `Package.swift`.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Place of an optional collection of providers' files, beside the working copy.
  static let data = root.deletingLastPathComponent().appending(components: "shared", "data")
}
