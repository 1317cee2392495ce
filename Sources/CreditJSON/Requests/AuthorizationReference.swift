package import CreditModel

/// Which authorization a request is about.
package struct AuthorizationReference: Hashable, Sendable {
  package let id: Name
  /// Whose it is, where the request says so.
  package let account: Name?

  package init(id: Name, account: Name? = nil) {
    self.id = id
    self.account = account
  }

  /// Reads an id, or the object that `credit-authorize` returned.
  /// - Throws: `invalid_request`.
  package init(_ value: JSONValue) throws(CreditError) {
    if let id = value.string {
      self.init(id: try RequestReader.name(id, "authorization"))
      return
    }
    guard value.isObject, let id = value.string("id") else {
      throw RequestReader.invalid(
        "authorization must be an id, as text, or an object that has one")
    }
    var account: Name?
    if let owner = value.member("account") {
      guard let owner = owner.string else {
        throw RequestReader.invalid("account in authorization must be text")
      }
      account = try RequestReader.name(owner, "account", limit: Name.accountLimit)
    }
    self.init(id: try RequestReader.name(id, "authorization"), account: account)
  }
}

extension RequestReader {
  /// What the request and the flag say of an authorization: neither may contradict the other.
  func authorizationReference() throws(CreditError) -> AuthorizationReference? {
    var flag: AuthorizationReference?
    if case .authorization(let reference) = flags["authorization"] { flag = reference }
    guard let member = member("authorization") else {
      if let flag { _ = try Self.name(flag.id.text, "authorization") }
      return flag
    }
    let given = try AuthorizationReference(member)
    guard let flag else { return given }
    let account = flag.account ?? given.account
    guard flag.id == given.id, account == given.account ?? account else {
      throw disagreement("authorization")
    }
    return AuthorizationReference(id: given.id, account: account)
  }
}
