internal import CLibrary

public struct LockHolder: Equatable, Sendable {
  public let process: Int32

  /// The name of its command, as the system cuts it off.
  public let command: String

  /// Start time in milliseconds since 1970.
  public let startMilliseconds: Int64
}

#if !canImport(Darwin)
  extension PosixSystem {
    public func lockHolder(of file: FileStatus.Identity) -> LockHolder? {
      guard let locks = try? readToEnd("/proc/locks"),
        let process = lockingProcess(of: file, in: locks), process != getpid(),
        let command = try? readToEnd("/proc/\(process)/comm"),
        let status = try? readToEnd("/proc/\(process)/stat"), let ticks = startTicks(in: status),
        let system = try? readToEnd("/proc/stat"), let boot = bootMilliseconds(in: system)
      else { return nil }
      let perSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
      let (scaled, overflow) = ticks.multipliedReportingOverflow(by: 1000)
      guard perSecond > 0, !overflow else { return nil }
      let (start, isTooLate) = (scaled / perSecond).addingReportingOverflow(boot)
      if isTooLate { return nil }
      return LockHolder(
        process: process,
        command: String(decoding: command.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self),
        startMilliseconds: start)
    }
  }
#endif

/// The process that holds a `flock` of a file, by Linux's list of locks: lines such as
/// `1: FLOCK  ADVISORY  WRITE 4711 08:01:131075 0 EOF`, with the device in hexadecimal. One that
/// waits has `->` before the kind.
func lockingProcess(of file: FileStatus.Identity, in locks: [UInt8]) -> Int32? {
  let device = DeviceNumber(file.device)
  for line in locks.split(separator: UInt8(ascii: "\n")) {
    let fields = line.split(separator: UInt8(ascii: " ")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard fields.count > 5, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0
    else { continue }
    let place = fields[5].utf8.split(separator: UInt8(ascii: ":")).map { String(Substring($0)) }
    if place.count == 3, UInt64(place[0], radix: 16) == device.major,
      UInt64(place[1], radix: 16) == device.minor, UInt64(place[2]) == file.inode
    {
      return process
    }
  }
  return nil
}

/// When a process was started, in clock ticks since the machine was, by its `stat`: the 22nd field.
/// The second one is the command in parentheses, which may hold spaces and parentheses.
func startTicks(in status: [UInt8]) -> Int64? {
  guard let end = status.lastIndex(of: UInt8(ascii: ")")) else { return nil }
  let fields = status[(end + 1)...].split(separator: UInt8(ascii: " "))
  guard fields.count > 19 else { return nil }
  return Int64(String(decoding: fields[19], as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
}

/// Returns the machine's boot time in milliseconds since 1970, from Linux's statistics: a line
/// `btime SECONDS`.
func bootMilliseconds(in statistics: [UInt8]) -> Int64? {
  for line in statistics.split(separator: UInt8(ascii: "\n")) {
    let fields = line.split(separator: UInt8(ascii: " "))
    guard fields.count == 2, fields[0].elementsEqual("btime".utf8) else { continue }
    let (time, overflow) = (Int64(String(decoding: fields[1], as: UTF8.self)) ?? 0)
      .multipliedReportingOverflow(by: 1000)
    return time > 0 && !overflow ? time : nil
  }
  return nil
}
