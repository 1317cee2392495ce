#if Postgres
  internal import CPostgres
  internal import CreditModel
  internal import CreditServer

  /// A statement's parameters in libpq's form: all binary, so that no value is read as text or ends
  /// at a NUL.
  struct ParameterBytes {
    /// One value behind the other.
    private var bytes: [UInt8] = []
    private var lengths: [Int32] = []
    private var types: [Oid] = []
    /// One for each parameter of the longest list so far: all are binary.
    private var formats: [Int32] = []

    mutating func set(_ parameters: [Parameter]) {
      bytes.removeAll(keepingCapacity: true)
      lengths.removeAll(keepingCapacity: true)
      types.removeAll(keepingCapacity: true)
      // So that a value without bytes is at some address, too.
      bytes.append(0)
      for parameter in parameters {
        let start = bytes.count
        append(parameter)
        lengths.append(Int32(clamping: bytes.count - start))
      }
      while formats.count < lengths.count { formats.append(1) }
    }

    private mutating func append(_ parameter: Parameter) {
      switch parameter {
      case .text(let text):
        types.append(TypeID.text)
        bytes += text.utf8
      case .textBytes(let text):
        types.append(TypeID.text)
        bytes += text
      case .int(let number):
        types.append(TypeID.int8)
        append(UInt64(bitPattern: number))
      case .time(let time):
        types.append(TypeID.timestamptz)
        append(UInt64(bitPattern: time.serverMicroseconds))
      case .bytes(let value):
        types.append(TypeID.bytea)
        bytes += value
      case .array(let array):
        append(array)
      }
    }

    /// Appends an array: its dimensions, whether it has NULLs, its elements' type, length, first
    /// index, elements.
    private mutating func append(_ array: ParameterArray) {
      let (type, arrayType) = TypeID.ofArray(array.element)
      types.append(arrayType)
      for word in [array.count == 0 ? 0 : 1, 0, type] { append(word as UInt32) }
      guard array.count > 0 else { return }
      append(UInt32(truncatingIfNeeded: array.count))
      append(1 as UInt32)
      bytes += array.elements
    }

    private mutating func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
      withBytes(of: number.bigEndian) { bytes += $0 }
    }

    /// Gives `body` types, values, lengths and formats of all parameters, for the time of the call.
    func withPointers(
      _ body: (
        UnsafeBufferPointer<Oid>, UnsafeBufferPointer<UnsafePointer<CChar>?>,
        UnsafeBufferPointer<Int32>, UnsafeBufferPointer<Int32>
      ) -> Int32
    ) -> Int32 {
      withUnsafeTemporaryAllocation(
        of: UnsafePointer<CChar>?.self, capacity: lengths.count
      ) { values in
        bytes.withBytes { bytes in
          var start = 1
          for (number, length) in lengths.enumerated() {
            let value = bytes.baseAddress.map { $0 + start }
            values.initializeElement(at: number, to: value?.assumingMemoryBound(to: CChar.self))
            start += Int(length)
          }
          return types.withUnsafeBufferPointer { types in
            lengths.withUnsafeBufferPointer { lengths in
              formats.withUnsafeBufferPointer { formats in
                body(types, UnsafeBufferPointer(values), lengths, formats)
              }
            }
          }
        }
      }
    }
  }

  /// The numbers of types, which are the same on each server (its `pg_type.dat`).
  private enum TypeID {
    static let bytea: Oid = 17
    static let int8: Oid = 20
    static let text: Oid = 25
    static let timestamptz: Oid = 1184

    /// The types of an element and of an array of such.
    static func ofArray(_ element: ParameterArray.Element) -> (Oid, Oid) {
      switch element {
      case .text: (text, 1009)
      case .int: (int8, 1016)
      case .time: (timestamptz, 1185)
      }
    }
  }
#endif
