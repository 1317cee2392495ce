import CreditLogs
import CreditModel
import CreditSystem

/// The output of a run.
final class PrintedLog: LogOutput {
  var requests: [String] = []
  var problems: [String] = []
  var failures: [String] = []
  var misfits: [String] = []
  var byteCount = 0

  func print(_ request: Bytes) {
    requests.append(String(decoding: request, as: UTF8.self))
  }

  func report(_ problem: LogProblem, in file: LogFile, line: Int) {
    problems.append("\(file.displayName):\(line): \(problem.reason)")
  }

  func report(_ failure: SystemError) { failures.append("\(failure)") }

  func report(_ failure: CreditError) { failures.append(failure.message) }

  func report(_ misfit: LogMisfit) { misfits.append(misfit.sentence) }

  func advance(_ count: Int) -> Bool {
    byteCount += count
    return true
  }
}

/// Texts by the paths that they are read under.
typealias Texts = [(path: String?, text: String)]

/// Reads texts of a format.
/// - Parameter piece: how many bytes arrive at once.
@discardableResult
func read(
  _ format: String, _ texts: Texts, _ selection: LogSelection = .me, piece: Int = 1 << 16
) -> (log: PrintedLog, tally: LogTally) {
  let log = PrintedLog()
  guard let format = LogFormats.named(format) else { return (log, LogTally()) }
  let run = LogRun(format, selection, system: PosixSystem(), output: log)
  for (path, text) in texts {
    var rest = Array(text.utf8)[...]
    run.read(LogFile(path: path)) { buffer in
      let count = min(piece, buffer.count, rest.count)
      buffer.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
  }
  return (log, run.finish())
}

/// The requests of one text.
func requests(
  _ format: String, _ lines: String..., selection: LogSelection = .me, path: String? = nil
) -> [String] {
  read(format, [(path, lines.joined(separator: "\n"))], selection).log.requests
}

extension LogSelection {
  static var me: LogSelection { LogSelection(account: .named(Name(trusted: "me"))) }

  static func from(_ member: String) -> LogSelection { LogSelection(account: .member(member)) }

  func with(_ change: (inout LogSelection) -> Void) -> LogSelection {
    var selection = self
    change(&selection)
    return selection
  }
}

extension LogTally {
  /// How often each reason was met.
  var counts: [String: Int] { lines.reduce(into: [:]) { $0[$1.reason] = $1.count } }
}

func keys(_ requests: [String]) -> [String?] { requests.map { member("key", of: $0) } }

/// A log line of LiteLLM's.
func row(_ id: String) -> String {
  #"{"request_id":"\#(id)","model":"m","prompt_tokens":1,"completion_tokens":2}"#
}

/// A member of a request, by its path, as text.
func member(_ path: String, of request: String) -> String? {
  guard let document = try? JSONDocument(request) else { return nil }
  return document.withRoot { root in
    var value = root
    for name in path.split(separator: ".") {
      var name = String(name)
      guard let next = name.withUTF8({ value.member(utf8: Bytes($0)) }) else {
        return nil
      }
      value = next
    }
    return value.string ?? String(decoding: value.raw, as: UTF8.self)
  }
}

/// A line of Qwen Code's recorded chats, of the session `s1`.
func qwen(total: Int, id: String = "u1") -> String {
  """
  {"uuid":"\(id)","parentUuid":null,"sessionId":"s1","timestamp":"2026-02-19T10:00:00.000Z",\
  "type":"assistant","cwd":"/home/ana/app","version":"0.5.0","model":"qwen3-coder-plus",\
  "message":{"role":"model","parts":[]},"usageMetadata":{"promptTokenCount":100,\
  "candidatesTokenCount":40,"thoughtsTokenCount":30,"cachedContentTokenCount":60,\
  "totalTokenCount":\(total)}}
  """
}
