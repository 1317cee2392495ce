/// The request on standard input that an error is about: its first line, and the names in it.
public struct RequestOrigin {
  /// The reference that makes the request unique.
  public enum Subject: Equatable {
    case key(Name)
    case authorization(Name)
    case transaction(Name)

    public var name: Name {
      switch self {
      case .key(let name), .authorization(let name), .transaction(let name): name
      }
    }

    public var word: String {
      switch self {
      case .key: "key"
      case .authorization: "authorization"
      case .transaction: "transaction"
      }
    }
  }

  public let line: Int
  public var subject: Subject?
  /// Nil if it is missing or the default one.
  public private(set) var account: Name?
  /// When it happens, if it says so.
  public private(set) var time: Timestamp?

  public init(line: Int) { self.line = line }

  /// The names in a request that a gate has refused.
  public init(line: Int, _ request: GateRequest) {
    self.line = line
    switch request {
    case .authorize(let request):
      subject = request.id.map(Subject.authorization)
      time = request.time
      set(account: request.account)
    case .void(let request):
      subject = .authorization(request.id)
      set(account: request.account)
    case .charge(let request):
      time = request.time
      switch request.reference {
      case .authorization(let id, let account):
        subject = .authorization(id)
        set(account: account)
      case .key(let key, let account):
        subject = .key(key)
        set(account: account)
      }
    case .topUp(let request):
      time = request.time
      switch request.reference {
      case .transaction(let id): subject = .transaction(id)
      case .key(let key): subject = .key(key)
      }
      set(account: request.account)
    case .refund(let request):
      time = request.time
      switch request.reference {
      case .transaction(let id): subject = .transaction(id)
      case .authorization(let id): subject = .authorization(id)
      case .key(let key, _): subject = .key(key)
      }
      set(account: request.account)
    case .account(let request):
      time = request.time
      set(account: request.account)
    case .transfer(let request):
      subject = .key(request.key)
      time = request.time
      set(account: request.from)
    case .storeKit(let request):
      subject = .transaction(request.transaction.id)
      set(account: request.account)
    case .notification: break
    case .payment(let request):
      subject = request.changes.first.map { .transaction($0.transaction) }
      set(account: request.changes.first?.account)
    }
  }

  public mutating func set(account: Name?) {
    self.account = account == .defaultAccount ? nil : account
  }

  /// How a sentence about it begins: `line 78 (key "msg_77", account "globex"): `.
  public var label: String {
    var facts = subject.map { "\($0.word) \(quoted($0.name.text))" } ?? ""
    if let account {
      facts += (facts.isEmpty ? "" : ", ") + "account \(quoted(account.text))"
    }
    return facts.isEmpty ? "line \(line): " : "line \(line) (\(facts)): "
  }

  /// The facts as members of the error.
  fileprivate var details: [CreditError.Detail] {
    switch subject {
    case .key(let key): [.line(line), .key(key)]
    case .authorization(let id): [.line(line), .authorizationID(id)]
    case .transaction(let id): [.line(line), .transactionID(id)]
    case nil: [.line(line)]
    }
  }
}

extension CreditError {
  /// Returns the error with its request, unless it has one: a line of the journal, or a whole
  /// authorization or transaction.
  public func about(_ origin: RequestOrigin?) -> CreditError {
    guard let origin else { return self }
    var error = self
    let added = origin.details.filter { detail in !details.contains { $0.says(detail) } }
    error.details.insert(contentsOf: added, at: 0)
    return error
  }
}

extension CreditError.Detail {
  /// Whether it is the same member of the error as another detail.
  fileprivate func says(_ other: CreditError.Detail) -> Bool {
    switch (self, other) {
    case (.line, .line), (.authorization, .authorizationID), (.transaction, .transactionID): true
    default: false
    }
  }
}
