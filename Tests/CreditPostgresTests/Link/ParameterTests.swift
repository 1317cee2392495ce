#if Postgres
  import CreditModel
  import CreditServer
  import Testing

  @Suite(.enabled(if: Cluster.isExpected, "needs PostgreSQL"))
  struct ParameterTests {
    let link: any ServerLink

    init() throws { link = try Cluster.shared.get().connect() }

    static let texts = [
      "", " ", "alice", "a'b\"c\\d", "'; DROP TABLE account; --", "$1 {a,b} NULL",
      "\u{1}\n\t\r\u{7F}",
      "e\u{301} ŵ 漢字 👩‍👩‍👧‍👦 🏴‍☠️ \u{FFFF}\u{10FFFF}", String(repeating: "é\\'", count: 250_000),
    ]

    @Test(arguments: texts) func textComesBackAsItWas(_ text: String) throws {
      #expect(try link.text("SELECT $1", .text(text)) == text)
    }

    @Test func textWithNULIsRefused() throws {
      #expect(throws: ServerFault.self) { try link.text("SELECT $1", .text("a\0b")) }
      do throws(ServerFault) {
        _ = try link.text("SELECT $1", .text("a\0b"))
      } catch {
        guard case .refused(SQLState("22021"), _) = error else { throw error }
      }
    }

    @Test(arguments: [.min, -1, 0, 1, 1 << 40, .max] as [Int64])
    func numbersComeBackAsTheyWere(_ number: Int64) throws {
      #expect(try link.rows("SELECT $1", .int(number)).int(0, 0) == number)
    }

    @Test(arguments: [.earliest, Timestamp(milliseconds: 0), Timestamp(milliseconds: 1), .latest])
    func timesComeBackAsTheyWere(_ time: Timestamp) throws {
      let sql = "SELECT (extract(epoch FROM $1) * 1000)::bigint"
      #expect(try link.rows(sql, .time(time)).int(0, 0) == time.milliseconds)
    }

    @Test(arguments: [[], [0], Array(UInt8.min...UInt8.max)] as [[UInt8]])
    func bytesComeBackAsTheyWere(_ bytes: [UInt8]) throws {
      #expect(try link.rows("SELECT encode($1, 'hex')", .bytes(bytes)).bytes(0, 0) == bytes)
    }

    @Test func arraysComeBackAsTheyWere() throws {
      var texts = ParameterArray(.text)
      for text in Self.texts { texts.append(text.utf8) }
      var numbers = ParameterArray(.int)
      var times = ParameterArray(.time)
      for index in 0..<Self.texts.count {
        numbers.append(Int64.min + Int64(index))
        times.append(Timestamp(milliseconds: Int64(index) - 3))
      }
      let rows = try link.rows(
        """
        SELECT a, b, (extract(epoch FROM c) * 1000)::bigint
        FROM unnest($1, $2, $3) WITH ORDINALITY AS t(a, b, c, n) ORDER BY n
        """, .array(texts), .array(numbers), .array(times))
      #expect(rows.count == Self.texts.count)
      for (row, text) in Self.texts.enumerated() {
        #expect(rows.text(row, 0) == text)
        #expect(rows.int(row, 1) == .min + Int64(row))
        #expect(rows.int(row, 2) == Int64(row) - 3)
      }
    }

    @Test func arraysMayBeEmpty() throws {
      #expect(try link.rows("SELECT unnest($1)", .array(ParameterArray(.text))).count == 0)
      #expect(try link.text("SELECT cardinality($1)", .array(ParameterArray(.int))) == "0")
    }

    @Test func nullIsNotText() throws {
      let rows = try link.rows("SELECT NULL, ''")
      #expect(rows.text(0, 0) == nil)
      #expect(rows.text(0, 1) == "")
    }
  }
#endif
