/// The digits that a number is written with.
enum JSONDigits {
  private static var pairs: StaticString {
    """
    00010203040506070809101112131415161718192021222324\
    25262728293031323334353637383940414243444546474849\
    50515253545556575859606162636465666768697071727374\
    75767778798081828384858687888990919293949596979899
    """
  }

  /// Writes an integer in decimal, two digits at a time.
  /// - Parameter pointer: has room for 20 bytes.
  /// - Returns: the number of bytes written.
  @inline(__always)
  static func write(_ value: UInt64, to pointer: UnsafeMutableRawPointer) -> Int {
    let count = digitCount(value)
    var value = value
    var end = count
    let table = UnsafeRawPointer(pairs.utf8Start)
    while value >= 100 {
      let (quotient, pair) = value.quotientAndRemainder(dividingBy: 100)
      value = quotient
      end &-= 2
      (pointer + end).storeBytes(
        of: table.loadUnaligned(fromByteOffset: Int(pair) * 2, as: UInt16.self), as: UInt16.self)
    }
    if value >= 10 {
      pointer.storeBytes(
        of: table.loadUnaligned(fromByteOffset: Int(value) * 2, as: UInt16.self), as: UInt16.self)
    } else {
      pointer.storeBytes(of: UInt8(ascii: "0") + UInt8(value), as: UInt8.self)
    }
    return count
  }

  /// The hexadecimal digit for `value`, which is below 16.
  static func hexadecimal(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  @inline(__always)
  private static func digitCount(_ value: UInt64) -> Int {
    var count = 1
    var rest = value
    while rest >= 10_000 {
      rest /= 10_000
      count &+= 4
    }
    return count &+ (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
  }
}
