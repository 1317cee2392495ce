internal import CreditModel

/// Each account's parent, by the newest records: no single record shows a broken chain.
struct VerifierChains {
  /// The hash of each account's parent, by the account's number.
  private var parents: [Int: UInt64] = [:]

  mutating func set(_ parent: UInt64?, of number: Int) {
    if let parent {
      parents[number] = parent
    } else if !parents.isEmpty {
      parents[number] = nil
    }
  }

  enum Fault {
    /// The account's parent is not in the books.
    case missing
    /// The account is above itself, or too many are above it.
    case endless
  }

  /// Returns the accounts with broken chains of parents, by their numbers.
  func faults(_ accounts: borrowing VerifierAccounts) -> [(number: Int, fault: Fault)] {
    var faults: [(number: Int, fault: Fault)] = []
    for (number, parent) in parents {
      var next: UInt64? = parent
      var count = 1
      while let hash = next {
        guard let above = accounts.number(of: hash) else {
          // The accounts below it are repaired with it.
          if count == 1 { faults.append((number, .missing)) }
          break
        }
        count += 1
        if count > Account.chainLimit {
          faults.append((number, .endless))
          break
        }
        next = parents[above]
      }
    }
    return faults.sorted { $0.number < $1.number }
  }
}

/// An account whose parents break the rules, so that every charge fails.
struct BrokenChain {
  let account: Account
  let parent: Name
  let fault: VerifierChains.Fault

  var sentence: String {
    let what =
      switch fault {
      case .missing: "the parent \(quoted(parent.text)), which is not in the store"
      case .endless: "parents that form a ring or too long a chain"
      }
    return "account \(quoted(account.name.text)) has \(what); \(Account.parentRemedy)"
  }
}

extension VerifierBooks {
  /// Returns the accounts with broken chains, in the order of registration; none if some records
  /// cannot be read, as these may change the chains.
  func brokenChains() throws(StoreFault) -> [BrokenChain] {
    if !gaps.isEmpty { return [] }
    var broken: [BrokenChain] = []
    for (number, fault) in chains.faults(accounts) {
      guard let account = try read(accounts.entries[number].offset)?.account,
        let parent = account.parent
      else { continue }
      broken.append(BrokenChain(account: account, parent: parent, fault: fault))
    }
    return broken
  }
}
