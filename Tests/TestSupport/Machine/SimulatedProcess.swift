@testable import CreditSystem

/// A process on a simulated machine: its system calls, one of which may be its last or fail.
final class SimulatedProcess {
  enum Event {
    case kill
    case powerCut
    case fail(code: Int32, isLasting: Bool)
  }

  struct OpenFile {
    var path: String
    var file: SimulatedFile?
    var position = 0
  }

  let machine: SimulatedMachine
  let number: Int

  /// The event at one of the coming calls.
  private var event: Event?
  private var callsLeft = 0
  private var countsChangesOnly = false
  private var isFailing = false
  private var failureCode: Int32 = 5
  /// The event that came about last, and the call that it struck.
  private var struck: (event: Event, call: String)?

  private(set) var isDead = false
  private(set) var hasFailed = false

  /// By descriptor.
  private var openFiles: [OpenFile?] = []
  private var mappings: [(file: SimulatedFile, before: [UInt8])] = []

  init(_ machine: SimulatedMachine) {
    self.machine = machine
    machine.processCount += 1
    number = machine.processCount
  }

  /// Has something happen at a call to come, counted from 1.
  /// - Parameter countsChangesOnly: whether calls count that change files, names or locks, and no
  ///   others.
  func arm(_ event: Event?, at call: Int = 1, countsChangesOnly: Bool = false) {
    self.event = event
    callsLeft = call
    self.countsChangesOnly = countsChangesOnly
    if event != nil { struck = nil }
    isFailing = false
    hasFailed = false
    noteMappings()
  }

  /// The event's result, for a trace.
  var fate: String { struck.map { "\($0.event) at \($0.call)" } ?? "undisturbed" }

  /// Closes the process's files.
  func exit() {
    for mapping in mappings { mapping.file.unmap() }
    machine.unlock { $0.process == number }
    isDead = true
  }

  // MARK: Events

  /// Effect of the event on a call.
  enum Strike {
    case none
    case dies
    case fails(SystemError)
  }

  private static let changes: Set = [
    "write", "sync", "truncate", "allocate", "rename", "remove", "mkdir", "unlock",
  ]

  func strike(_ call: String) -> Strike {
    if isDead { return .fails(SystemError(call: call, code: 5)) }
    machine.passTime()
    if isFailing { return .fails(SystemError(call: call, code: failureCode)) }
    guard let event, !countsChangesOnly || Self.changes.contains(call) else { return .none }
    callsLeft -= 1
    guard callsLeft == 0 else { return .none }
    struck = (event, call)
    switch event {
    case .kill, .powerCut: return .dies
    case .fail(let code, let isLasting):
      hasFailed = true
      isFailing = isLasting
      failureCode = code
      return .fails(SystemError(call: call, code: code))
    }
  }

  func die() {
    isDead = true
    if case .kill = event {
      machine.kill(number, mappings)
    } else {
      machine.cutPower(mappings.map(\.file))
    }
  }

  /// A call that succeeds completely or not at all.
  func call<Result>(
    _ name: String, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    switch strike(name) {
    case .none:
      let result = try body()
      noteMappings()
      return result
    case .fails(let error): throw error
    case .dies:
      // The last call may have been carried out.
      if machine.random.once(in: 2) { _ = try? body() }
      die()
      throw SystemError(call: name, code: 5)
    }
  }

  /// After the last call but one of a process that will be killed, notes its mappings' contents:
  /// later writes through them may be partial.
  func noteMappings() {
    guard callsLeft == 1, case .kill = event else { return }
    for index in mappings.indices { mappings[index].before = mappings[index].file.bytes }
  }

  // MARK: Descriptors

  func open(_ path: String, _ file: SimulatedFile?) -> Int32 {
    openFiles.append(OpenFile(path: path, file: file))
    return Int32(openFiles.count - 1)
  }

  func close(_ number: Int32) { openFiles[Int(number)] = nil }

  func openFile(_ number: Int32, _ call: String) throws(SystemError) -> OpenFile {
    guard openFiles.indices ~= Int(number), let open = openFiles[Int(number)] else {
      throw SystemError(call: call, code: 9)
    }
    return open
  }

  func file(_ number: Int32) throws(SystemError) -> SimulatedFile {
    guard let file = try openFile(number, "file").file else {
      throw SystemError(call: "file", code: 9)
    }
    return file
  }

  func advance(_ number: Int32, by count: Int) { openFiles[Int(number)]?.position += count }

  func noteMapping(of file: SimulatedFile) { mappings.append((file, [])) }

  func mappedFile(at address: UnsafeMutableRawPointer?) -> SimulatedFile? {
    mappings.first { $0.file.isMapped(at: address) }?.file
  }

  func forgetMapping(at address: UnsafeMutableRawPointer?) {
    guard let index = mappings.firstIndex(where: { $0.file.isMapped(at: address) }) else { return }
    mappings.remove(at: index).file.unmap()
  }
}
