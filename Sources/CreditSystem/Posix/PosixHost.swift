internal import CLibrary

extension PosixSystem {
  public func networkFileSystem(of file: Int32) throws(SystemError) -> String? {
    #if canImport(Darwin)
      var status = statfs()
      try repeating("stat") { fstatfs(file, &status) }
      if status.f_flags & UInt32(MNT_LOCAL) != 0 { return nil }
      return withUnsafeBytes(of: &status.f_fstypename) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
    #else
      let device = try status(of: file).identity.device
      let mounts = try readToEnd("/proc/self/mountinfo")
      guard let type = fileSystemType(of: device, in: mounts) else { return nil }
      return networkFileSystems.contains(type) ? type : nil
    #endif
  }

  #if !canImport(Darwin)
    /// Reads a file of the kernel; empty if the system does not have it.
    func readToEnd(_ path: String) throws(SystemError) -> [UInt8] {
      guard let file = try? openFile(path, .read) else { return [] }
      defer { closeFile(file) }
      return try CreditSystem.readBytes(limit: .max) { block, offset throws(SystemError) in
        try readBytes(file, into: block, at: offset)
      }
    }
  #endif

  public func diskSpace(at path: String) -> DiskSpace? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let block = Int64(clamping: status.f_frsize)
    func bytes(_ count: some BinaryInteger) -> Int64 {
      let (bytes, overflow) = Int64(clamping: count).multipliedReportingOverflow(by: block)
      return overflow ? .max : bytes
    }
    return DiskSpace(free: bytes(status.f_bavail), total: bytes(status.f_blocks))
  }

  public func bootID() -> BootID? {
    var text = [UInt8](repeating: 0, count: 64)
    #if canImport(Darwin)
      var count = text.count
      guard sysctlbyname("kern.bootsessionuuid", &text, &count, nil, 0) == 0 else { return nil }
    #else
      guard let file = try? openFile("/proc/sys/kernel/random/boot_id", .read) else { return nil }
      defer { closeFile(file) }
      let read = try? text.withMutableBytes { (buffer) throws(SystemError) -> Int in
        try readBytes(file, into: buffer, at: 0)
      }
      guard read != nil else { return nil }
    #endif
    return BootID(uuid: text)
  }
}

/// A value that stays the same until the machine is started again.
public struct BootID: Hashable, Sendable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the 32 hexadecimal digits of a UUID with any separators.
  init?(uuid text: [UInt8]) {
    var (high, low, count): (UInt64, UInt64, Int) = (0, 0, 0)
    for byte in text {
      guard let digit = Hexadecimal.value(of: byte) else { continue }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit)
      count += 1
    }
    guard count == 32 else { return nil }
    self.init(high: high, low: low)
  }
}

/// File systems whose locks and syncs are another machine's promise.
private let networkFileSystems = [
  "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "lustre", "gpfs", "ocfs2",
  "gfs2",
  "glusterfs", "fuse.glusterfs", "fuse.sshfs", "fuse.s3fs", "fuse.rclone",
]

/// The type of the file system of a device, by Linux's list of mounts: lines whose third field is
/// the device as `major:minor`, and whose first field after a lone `-` is the type.
func fileSystemType(of device: UInt64, in mounts: [UInt8]) -> String? {
  let device = DeviceNumber(device)
  let name = Array("\(device.major):\(device.minor)".utf8)
  for line in mounts.split(separator: UInt8(ascii: "\n")) {
    let fields = line.split(separator: UInt8(ascii: " "))
    guard fields.count > 4, fields[2].elementsEqual(name),
      let dash = fields.firstIndex(where: { $0.elementsEqual([UInt8(ascii: "-")]) }),
      dash + 1 < fields.count
    else { continue }
    return String(decoding: fields[dash + 1], as: UTF8.self)
  }
  return nil
}

/// The two parts of Linux's number of a device.
struct DeviceNumber {
  let major: UInt64
  let minor: UInt64

  init(_ device: UInt64) {
    major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
    minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
  }
}
