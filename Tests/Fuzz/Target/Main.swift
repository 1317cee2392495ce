import CreditBytes
import CreditSystem

/// The target that the environment names.
private let target: FuzzTarget = {
  let name = (try? ThisProcess.variable("CREDIT_FUZZ_TARGET")) ?? nil
  guard let target = name.flatMap(FuzzTarget.init(rawValue:)) else {
    preconditionFailure("CREDIT_FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

/// libFuzzer calls it with each input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target.run(Bytes(start: start, count: count))
  return 0
}

/// libFuzzer's loop.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The package manager takes an executable's start from its module, and not from libFuzzer.
@main private enum Main {
  static func main() {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    ThisProcess.exit(runDriver(&count, &arguments, testOneInput))
  }
}
