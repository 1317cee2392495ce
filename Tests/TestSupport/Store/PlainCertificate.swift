/// The bytes of unsigned certificates.
enum PlainCertificate {
  /// A certificate in DER, with the parts that the tools read.
  /// - Parameter serial: distinguishes it from others.
  static func der(serial: UInt8 = 1) -> [UInt8] {
    let sequence: [UInt8] = [0x30, 0]
    let key = value(0x30, value(0x30, [0x06, 1, 2]) + [0x03, 2, 0, 4])
    let body = [0x02, 1, serial] + sequence + sequence + sequence + sequence + key
    return value(0x30, value(0x30, body) + sequence + [0x03, 1, 0])
  }

  private static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    [tag, UInt8(contents.count)] + contents
  }
}
