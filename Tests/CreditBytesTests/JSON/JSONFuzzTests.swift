import CreditBytes
import Foundation
import Testing

@testable import TestSupport

/// Mutations of good texts, judged by Foundation and by cutting them up.
struct JSONFuzzTests {
  private static let seeds = [
    #"{"model":"claude-sonnet-4.5","usage":{"inputTokens":1200,"outputTokens":500}}"#,
    #"[1,-2.5e3,"a\n\u00e9é",true,false,null,{"a":[]},{}]"#,
    #" { "a" : [ 0 , 10 , -0.5 ] , "b\\" : "\"" } "#,
    #""text""#, "12.5", "[[],[[]],[[[1]]]]",
  ]
  private static let alphabet = Array("{}[]\",:.-+0123eEtfn\\u/ \n\tax".utf8) + [0xc3, 0xa9, 0x1f]

  private func mutant(_ random: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &random)].utf8)
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let byte = Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &random)]
      let place = Int.random(in: 0..<max(bytes.count, 1), using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where !bytes.isEmpty: bytes.remove(at: place)
      case 1: bytes.insert(byte, at: min(place, bytes.count))
      case 2 where !bytes.isEmpty: bytes.removeSubrange(place...)
      case _ where !bytes.isEmpty: bytes[place] = byte
      default: break
      }
    }
    return bytes
  }

  /// Foundation's verdict; nil if it cannot judge: it refuses numbers beyond a Double, and allows a
  /// comma after the last element or member.
  private func verdict(_ bytes: [UInt8]) -> Bool? {
    let tight = String(decoding: bytes.filter { !" \n\r\t".utf8.contains($0) }, as: UTF8.self)
    if tight.contains(",]") || tight.contains(",}") { return nil }
    do {
      _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      return true
    } catch {
      return "\(error)".contains("not representable") ? nil : false
    }
  }

  @Test func agreesWithFoundation() {
    var random = SeededGenerator(seed: 2026)
    var accepted = 0
    for _ in 0..<20_000 {
      let bytes = mutant(&random)
      guard let verdict = verdict(bytes) else { continue }
      let isAccepted = (try? JSONDocument(bytes)) != nil
      #expect(isAccepted == verdict, "\(String(decoding: bytes, as: UTF8.self))")
      if verdict { accepted += 1 }
    }
    #expect(accepted > 1000)
  }

  @Test func isTheSameHoweverItArrives() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let lines = (0..<3).map { _ in mutant(&random) }
      let bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
      let whole = items([bytes])
      #expect(items(bytes.map { [$0] }) == whole)
      let cut = Int.random(in: 0...bytes.count, using: &random)
      #expect(items([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
    }
  }

  @Test func readsItsOwnOutput() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      let scalars = (0..<Int.random(in: 0...30, using: &random)).map { _ in
        Unicode.Scalar(UInt32.random(in: 0...0x3ff, using: &random)) ?? "x"
      }
      let text = String(String.UnicodeScalarView(scalars))
      var writer = JSONWriter()
      writer.string(text)
      #expect(try read(writer.string) { $0.string } == text)
    }
  }
}
