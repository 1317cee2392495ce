import CreditBytes
import Testing

@testable import TestSupport

@Suite struct ZoneFileTests {
  private let text = ZoneText(
    offsets: [3208, 3600, 7200], changes: [(-2_422_054_408, 1), (1_000_000_000, 2)],
    rule: "CET-1CEST,M3.5.0,M10.5.0/3")

  @Test func readsOffsets() throws {
    let zone = try text.zone()
    #expect(zone.offset(at: time("1890-01-01T00:00:00Z")) == 3208)
    #expect(zone.offset(at: time("1950-07-01T00:00:00Z")) == 3600)
    #expect(zone.offset(at: time("2001-09-10T00:00:00Z")) == 7200)
    // The rule holds after the last change.
    #expect(zone.offset(at: time("2001-11-01T00:00:00Z")) == 3600)
    #expect(zone.offset(at: time("9999-07-01T00:00:00Z")) == 7200)
  }

  @Test func readsTheFirstVersion() throws {
    let zone = try ZoneText(
      offsets: [-18_000, -14_400], changes: [(1_000_000_000, 1)], rule: "", version: 0
    ).zone()
    #expect(zone.offset(at: time("2000-01-01T00:00:00Z")) == -18_000)
    #expect(zone.offset(at: time("2030-01-01T00:00:00Z")) == -14_400)
  }

  @Test func theLastOffsetHoldsWithoutARule() throws {
    let zone = try ZoneText(offsets: [0, 3600], changes: [(0, 1)]).zone()
    #expect(zone.offset(at: .latest) == 3600)
    #expect(zone.offset(at: .earliest) == 0)
  }

  @Test(arguments: [
    ("UTC0", "2026-07-01T00:00:00Z", Int64(0)), ("<+0545>-5:45", "2026-07-01T00:00:00Z", 20_700),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -14_400),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -18_000),
    ("AAA0BBB,J60/0,J300/0", "2024-03-01T00:00:00Z", 3600),
    ("AAA0BBB,J60/0,J300/0", "2024-02-29T23:59:59Z", 0),
    ("AAA0BBB,59/0,300/0", "2024-02-29T00:00:00Z", 3600),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T00:00:00Z", 10_800),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-26T23:59:59Z", 7200),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200),
    ("XXX3YYY2,0/0,J365/25", "2026-01-01T03:00:00Z", -7200),
  ])
  func rules(rule: String, at text: String, offset: Int64) throws {
    #expect(try ZoneText.rule(rule).offset(at: time(text)) == offset)
  }

  @Test(arguments: [
    "C", "CET", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-25",
    "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,J0,J1", "CET-1CEST,M3.5.0/168,M10.5.0", "<+03-3",
    "CET-1CEST,M3.5.0,M10.5.0/3x",
  ])
  func refusesOtherRules(rule: String) {
    #expect(throws: ZoneFile.Fault.self) { try ZoneText.rule(rule) }
  }

  @Test func refusesOtherFiles() {
    func fault(_ bytes: [UInt8]) -> String? {
      failure { () throws(ZoneFile.Fault) in try ZoneFile.read(bytes) }?.reason
    }
    #expect(fault(Array("hello, world".utf8)) == "is not a zone file")
    #expect(fault([]) == "is damaged")
    var other = text
    other.leapSeconds = 1
    #expect(fault(other.bytes)?.hasPrefix("counts leap seconds") == true)
    other = text
    other.changes.swapAt(0, 1)
    #expect(fault(other.bytes) == "is damaged")
    other = text
    other.changes[1].offset = 3
    #expect(fault(other.bytes) == "is damaged")
    other = text
    other.offsets[0] = 26 * 3600
    #expect(fault(other.bytes) == "is damaged")
    other.offsets = []
    other.changes = []
    #expect(fault(other.bytes) == "is damaged")
  }

  /// No cut and no changed byte is a trap.
  @Test func damageIsAnError() {
    let bytes = text.bytes
    for length in 0..<bytes.count {
      #expect(throws: ZoneFile.Fault.self) { try ZoneFile.read(Array(bytes.prefix(length))) }
    }
    var isReadable = 0
    for place in bytes.indices {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var changed = bytes
        changed[place] = value
        guard let zone = try? ZoneFile.read(changed) else { continue }
        isReadable += 1
        for instant in [Timestamp.earliest, time("2026-03-29T00:59:59Z"), .latest] {
          #expect(zone.end(of: .month, containing: instant) >= instant)
          #expect(zone.start(of: .hour, containing: instant) <= instant)
        }
      }
    }
    #expect(isReadable > 0)
  }
}
