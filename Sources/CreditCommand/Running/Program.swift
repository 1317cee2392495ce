internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

/// A tool's run from its command line to its exit status.
package enum Program {
  /// Runs a tool in this process and ends it.
  package static func main(_ tool: Tool) -> Never {
    ThisProcess.exit(run(tool))
  }

  /// Runs the tool that this process was called by, or that its first argument names, and ends it.
  package static func mainOfSuite() -> Never {
    ThisProcess.exit(runSuite())
  }

  private static func run(_ tool: Tool) -> Int32 {
    do {
      return run(tool, on: .process(arguments: try ThisProcess.arguments()))
    } catch {
      return fail(UsageError(error), tool.name, on: .process(arguments: []))
    }
  }

  private static func runSuite() -> Int32 {
    let path = ThisProcess.path
    do {
      return runSuite(calledBy: path, on: .process(arguments: try ThisProcess.arguments()))
    } catch {
      let name = SuiteCall.tool(calledBy: path)?.name ?? ToolSuite.command
      return fail(UsageError(error), name, on: .process(arguments: []))
    }
  }

  /// Runs one of the tools, or says which there are.
  /// - Parameter path: what the executable was called by.
  /// - Returns: its exit status.
  package static func runSuite(calledBy path: String, on host: Host) -> Int32 {
    do throws(UsageError) {
      switch try SuiteCall(path: path, arguments: host.arguments) {
      case .tool(let tool, let firstArgument):
        var host = host
        host.arguments.removeFirst(firstArgument)
        return run(tool, on: host)
      case .page(let topic): return show(topic.text, ToolSuite.command, on: host)
      case .help(let tool): return show(HelpText.text(for: tool), tool.name, on: host)
      case .complete(let completion):
        return show(completion.text(on: host), ToolSuite.command, on: host)
      case .schema(let schema): return show(schema.text, ToolSuite.command, on: host)
      case .list: return show(HelpText.ofSuite, ToolSuite.command, on: host)
      case .version:
        return show("\(ToolSuite.command) \(ToolSuite.version)\n", ToolSuite.command, on: host)
      }
    } catch {
      return fail(error, ToolSuite.command, on: host)
    }
  }

  /// Runs a tool.
  /// - Returns: its exit status.
  package static func run(_ tool: Tool, on host: Host) -> Int32 {
    let settings: Settings
    do throws(UsageError) {
      let arguments = try ArgumentParser(tool).parse(host.arguments)
      if arguments[.help] { return show(HelpText.text(for: tool), tool.name, on: host) }
      if arguments[.version] { return show(tool.versionLine + "\n", tool.name, on: host) }
      settings = try Settings(arguments, host: host)
      return try Command(tool, settings, host).run()
    } catch {
      return fail(error, tool.name, on: host)
    }
  }

  private static func show(_ text: String, _ command: String, on host: Host) -> Int32 {
    do {
      try text.utf8Span.span.withUnsafeBytes { bytes throws(SystemError) in
        try host.streams.write(bytes)
      }
    } catch {
      let errors = ErrorOutput(tool: command, isQuiet: false, streams: host.streams)
      errors.outputFailed(error)
      return errors.exitStatus
    }
    return 0
  }

  private static func fail(_ error: UsageError, _ command: String, on host: Host) -> Int32 {
    var text = "\(command): \(error)\n\(UsageError.hint(for: command))\n"
    text.withUTF8 { host.streams.complain(UnsafeRawBufferPointer($0)) }
    return UsageError.exitStatus
  }
}

extension Host {
  /// This process.
  static func process(arguments: [String]) -> Host {
    let system = PosixSystem()
    let ids = UUIDMaker(seededBy: system)
    return Host(
      arguments: arguments, environment: variable,
      system: system, streams: StandardStreams(), makeID: ids.make(at:),
      keep: { _ = Unmanaged.passRetained($0) })
  }

  private static func variable(_ name: String) throws(UsageError) -> String? {
    do {
      return try ThisProcess.variable(name)
    } catch {
      throw UsageError(error)
    }
  }
}

extension UsageError {
  fileprivate init(_ error: ThisProcess.NotText) {
    self.init("\(error.what) is not UTF-8 text")
  }
}
