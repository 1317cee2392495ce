import CreditModel
import Testing

@testable import CreditJSON

/// Whole records as text: each stays readable, and is the only text that is read as it.
@Suite struct WrittenRecordTests {
  /// Records of this version in their first written form. A journal with them stays readable after
  /// any addition.
  private static let lines = [
    #"{"at":"2026-02-19T10:00:00.000Z","event":"registration","account":"alice","credits":100,"#
      + #""state":{"records":1,"transactions":1,"registeredAt":"2026-02-19T10:00:00.000Z","#
      + #""starter":100},"and":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"authorization","account":"alice","#
      + #""authorization":{"id":"a-1","hold":20,"expiresAt":"2026-02-20T11:00:32.000Z"},"#
      + #""state":{"records":2,"transactions":1,"registeredAt":"2026-02-19T10:00:00.000Z","#
      + #""exempt":true,"starter":100,"holds":["2026-02-20T11:00:32.000Z",20,"+32000",3,7,"#
      + #""+64000",1]},"previous":117,"crc":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"charge","account":"alice","#
      + #""authorization":{"id":"a-1","timestamp":"2026-02-19T10:00:00.000Z"},"key":"k-1","#
      + #""model":"claude-sonnet-4.5","usage":{"inputTokens":1200,"outputTokens":500,"#
      + #""cacheWrite1hTokens":9,"webSearches":1,"serviceTier":"batch"},"creditsCharged":12,"#
      + #""taken":[{"bonus":5,"expiresAt":"2026-03-01T00:00:00.000Z"},{"quota":3,"#
      + #""expiresAt":"2026-03-01T00:00:00.000Z"},{"purchased":4}],"state":{"records":3,"#
      + #""transactions":2,"registeredAt":"2026-02-19T10:00:00.000Z","#
      + #""dated":[{"bonus":2,"expiresAt":"2026-04-01T00:00:00.000Z"}],"starter":1,"#
      + #""quota":{"plan":"pro","period":{"days":30},"limit":3,"used":3,"#
      + #""resetsAt":"2026-03-01T00:00:00.000Z"},"recentTopUps":["2026-02-20T09:59:59.999Z"]},"#
      + #""previous":400,"crc":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"top-up-refund","account":"alice","#
      + #""transaction":{"id":"t-1","type":"purchase","status":"refunded","productID":"pack","#
      + #""quantity":2,"credits":20,"timestamp":"2026-02-19T10:00:00.000Z","price":"9.99","#
      + #""currency":"EUR","key":"k-1"},"newBalance":120,"appStore":{"notifications":["n-1"]},"#
      + #""refund":{"credits":20,"reason":"asked","newBalance":-3,"#
      + #""timestamp":"2026-02-20T10:00:00.000Z"},"state":{"records":4,"transactions":3,"#
      + #""registeredAt":"2026-02-19T10:00:00.000Z","purchased":-3},"original":600,"#
      + #""previous":900,"crc":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"top-up-refund","account":"alice","#
      + #""transaction":{"id":"t-1","type":"purchase","status":"refunded","credits":20,"#
      + #""timestamp":"2026-02-19T10:00:00.000Z"},"newBalance":120,"#
      + #""refund":{"credits":5,"number":2,"before":10,"newBalance":-3,"#
      + #""timestamp":"2026-02-20T10:00:00.000Z"},"state":{"records":4,"transactions":3,"#
      + #""registeredAt":"2026-02-19T10:00:00.000Z","purchased":-3},"original":600,"#
      + #""previous":900,"crc":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"top-up","account":"alice","#
      + #""transaction":{"id":"t-2","type":"adjustment","status":"completed","credits":-20,"#
      + #""key":"k-1","reason":"counted twice"},"state":{"records":4,"transactions":3,"#
      + #""registeredAt":"2026-02-19T10:00:00.000Z","purchased":-3},"#
      + #""previous":900,"crc":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"transfer-out","account":"alice","#
      + #""transfer":{"id":"x-1","counterparty":"bob","credits":20,"key":"gift-7","#
      + #""reason":"birthday","counterpartyBalance":120},"state":{"records":4,"transactions":3,"#
      + #""registeredAt":"2026-02-19T10:00:00.000Z","purchased":3},"previous":900,"#
      + #""and":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"top-up","account":"alice","#
      + #""transaction":{"id":"t-3","type":"subscription","status":"completed","#
      + #""productID":"pro.monthly","credits":0,"paid":{"plan":"pro","#
      + #""since":"2026-02-20T10:00:00.000Z","until":"2026-03-20T10:00:00.000Z","#
      + #""grace":259200000}},"state":{"records":5,"transactions":4,"#
      + #""registeredAt":"2026-02-19T10:00:00.000Z","quota":{"plan":"pro","#
      + #""period":"subscription","limit":500,"used":0,"resetsAt":"2026-03-20T10:00:00.000Z"},"#
      + #""subscriptions":{"paid":[{"product":"pro.monthly","plan":"pro","transaction":"t-3","#
      + #""id":"sub_1","since":"2026-02-20T10:00:00.000Z","until":"2026-03-20T10:00:00.000Z","#
      + #""grace":259200000}],"ends":[{"product":"team","id":"sub_2","#
      + #""until":"2026-03-20T10:00:00.000Z","at":"2026-02-19T10:00:00.000Z"},"#
      + #"{"id":"sub_3","until":"2026-03-20T10:00:00.000Z","#
      + #""at":"2026-02-19T10:00:00.000Z"}],"shared":["2026-02-21T10:00:00.000Z"]}},"#
      + #""previous":900,"crc":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"top-up-news","account":"alice","#
      + #""transaction":{"id":"t-3","type":"subscription","status":"completed","#
      + #""productID":"pro.monthly","credits":0,"timestamp":"2026-02-19T10:00:00.000Z","#
      + #""paid":{"plan":"pro","since":"2026-02-20T10:00:00.000Z","#
      + #""until":"2026-03-21T10:00:00.000Z","upgraded":true,"#
      + #""extendedAt":"2026-02-20T10:00:00.000Z"}},"newBalance":0,"state":{"records":5,"#
      + #""transactions":4,"registeredAt":"2026-02-19T10:00:00.000Z","#
      + #""subscriptions":{"paid":[{"product":"pro.monthly","plan":"pro","transaction":"t-1","#
      + #""since":"2026-02-20T10:00:00.000Z","until":"2026-03-20T10:00:00.000Z","#
      + #""state":"refunded","used":7},{"product":"pro.monthly","plan":"pro","#
      + #""transaction":"t-2","since":"2026-02-20T10:00:00.000Z","#
      + #""until":"2026-03-20T10:00:00.000Z","state":"replaced","used":9,"limit":50,"#
      + #""resetsAt":"2026-03-01T00:00:00.000Z"}]},"plan":"team"},"#
      + #""original":700,"previous":900,"#
      + #""crc":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"transfer-in","account":"bob","#
      + #""transfer":{"id":"x-1","counterparty":"alice","credits":20,"key":"gift-7","#
      + #""counterpartyBalance":3},"state":{"records":4,"transactions":3,"#
      + #""registeredAt":"2026-02-19T10:00:00.000Z","purchased":120},"previous":400,"#
      + #""crc":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"settings","account":"bob","credits":0,"#
      + #""state":{"records":4,"transactions":3,"registeredAt":"2026-02-19T10:00:00.000Z","#
      + #""purchased":120,"limits":[{"id":"day","since":"2026-02-20T00:00:00.000Z","used":7},"#
      + #"{"id":"total","since":"2026-02-19T10:00:00.000Z","used":9}],"#
      + #""limitsSet":[{"id":"day","until":"2026-02-27T00:00:00.000Z","then":{"credits":50,"#
      + #""alerts":[80]}},{"id":"eur","unit":"usd","usd":"2.5"},"#
      + #"{"id":"total","credits":90,"until":"2026-02-27T00:00:00.000Z","then":{}}]},"#
      + #""previous":400,"crc":"00000000"}"#,
    #"{"at":"2026-02-20T10:00:00.000Z","event":"payment","transaction":"sub_1","#
      + #""payment":{"event":{"format":"stripe","id":"evt_1","type":"checkout.session.completed","#
      + #""at":"2026-02-20T10:00:00.000Z"},"account":"alice"},"crc":"00000000"}"#,
  ]

  @Test(arguments: lines) func aRecordOfThisVersionStaysReadable(line: String) throws {
    var reader = RecordReader()
    let stored = try #require(
      Array(line.utf8).withBytes { reader.read($0, at: RecordPosition(7)) })
    #expect(stored.position == RecordPosition(7))
    #expect(stored.record.account.isSound)
    var writer = JSONWriter()
    writer.openRecord(stored.record, previous: stored.previous)
    #expect(line.hasPrefix(writer.string))
    #expect(RecordReader.time(of: Bytes()) == nil)
    let time = Array(line.utf8).withBytes { RecordReader.time(of: $0) }
    #expect(time == stored.record.account.updatedAt)
  }

  /// Only the checksum may differ, whose place is checked and not its value.
  @Test(arguments: lines) func onlyTheWrittenFormIsRead(line: String) {
    var reader = RecordReader()
    let bytes = Array(line.utf8)
    for index in bytes.indices.dropLast(10) {
      for byte in [UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: " "), 0x22, 0x7F, 0x80] {
        var changed = bytes
        changed[index] = byte
        let stored = changed.withBytes { reader.read($0, at: RecordPosition(7)) }
        guard let stored else { continue }
        var writer = JSONWriter()
        writer.openRecord(stored.record, previous: stored.previous)
        #expect(changed.starts(with: writer.withBytes { Array($0) }))
      }
      let cut = Array(bytes[..<index]).withBytes { reader.read($0, at: RecordPosition(7)) }
      #expect(cut == nil)
    }
  }
}
