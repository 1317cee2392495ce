import CreditJSON
import CreditModel
import Testing

@testable import CreditCommand
@testable import TestSupport

@Suite struct RequestOriginTests {
  private func origin(of request: String, _ tool: Tool = .charge, _ flags: String...) throws
    -> RequestOrigin
  {
    let flags = try ArgumentParser(tool).parse(flags)
    return try JSONDocument(request).withRoot { RequestOrigin(line: 7, $0, flags) }
  }

  @Test(arguments: [
    (#"{"key":"k","account":"a"}"#, #"line 7 (key "k", account "a"): "#),
    (#"{"transaction":"t","account":"default"}"#, #"line 7 (transaction "t"): "#),
    (#"{"authorization":"x","key":"k"}"#, #"line 7 (authorization "x"): "#),
    (#"{"authorization":{"id":"x","account":"b"}}"#, #"line 7 (authorization "x"): "#),
    (#"{"account":"a"}"#, #"line 7 (account "a"): "#),
    (#"{"key":7,"account":null}"#, "line 7: "), ("[]", "line 7: "),
  ])
  func sentencesBeginWithIt(_ request: String, _ label: String) throws {
    #expect(try origin(of: request).label == label)
  }

  @Test func flagsNameMissingMembers() throws {
    let charge = try origin(of: #"{"key":"k"}"#, .charge, "--account", "a", "--key", "x")
    #expect(charge.label == #"line 7 (key "k", account "a"): "#)
    let object = try origin(of: "{}", .charge, "--authorization", #"{"id":"x"}"#)
    #expect(object.label == #"line 7 (authorization "x"): "#)
    let topUp = try origin(of: "7", .topup, "--transaction", "t")
    #expect(topUp.label == #"line 7 (transaction "t"): "#)
    let transfer = try origin(of: "{}", .transfer, "--from", "ana", "--key", "k\u{7}")
    #expect(transfer.label == #"line 7 (account "ana"): "#)
  }

  @Test func aRefusedRequestNamesTheSame() {
    let time = Timestamp(milliseconds: 0)
    let authorize = GateRequest.authorize(AuthorizeRequest(account: "a", time: time))
    #expect(RequestOrigin(line: 1, authorize).label == #"line 1 (account "a"): "#)
    let topUp = TopUpRequest(
      account: .defaultAccount, reference: .key("k"), grant: .credits(1), time: time)
    #expect(RequestOrigin(line: 1, .topUp(topUp)).label == #"line 1 (key "k"): "#)
    let refund = RefundRequest(reference: .authorization("x"), time: time)
    #expect(RequestOrigin(line: 1, .refund(refund)).label == #"line 1 (authorization "x"): "#)
  }

  @Test func anErrorsOwnNamesAppearOnce() {
    let authorization = CreditAuthorization(
      id: "x", account: "a", timestamp: Timestamp(milliseconds: 0))
    let error = CreditError(.authorizationClosed, "m", [.authorization(authorization)])
    let origin = RequestOrigin(
      line: 7, .void(VoidRequest(id: "x", time: Timestamp(milliseconds: 0))))
    var output = JSONWriter()
    output.error(error.about(origin))
    #expect(
      output.string == """
        {"error":{"code":"authorization_closed","status":409,"message":"m","line":7,\
        "authorization":{"id":"x","account":"a","timestamp":"1970-01-01T00:00:00.000Z"}}}
        """)
    #expect(CreditError(.corruptStore, "m", [.line(3)]).about(origin).details.count == 2)
  }
}
