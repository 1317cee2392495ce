internal import CreditModel

/// Who pays for whom, as the newest records say: no single record shows that a chain is none.
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
    /// Those above it have it above themselves, or are too many.
    case endless
  }

  /// The accounts whose parents are no chain, by their numbers.
  func faults(_ accounts: borrowing VerifierAccounts) -> [(number: Int, fault: Fault)] {
    var faults: [(number: Int, fault: Fault)] = []
    for (number, parent) in parents {
      var next: UInt64? = parent
      var count = 1
      while let hash = next {
        guard let above = accounts.number(of: hash) else {
          // Those below it are mended with it.
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

/// An account that has parents as no rule gives them, with which every charge fails.
struct BrokenChain {
  let account: Account
  let parent: Name
  let fault: VerifierChains.Fault

  /// What is wrong, as a sentence that names what mends it.
  var sentence: String {
    let what =
      switch fault {
      case .missing: "the parent \(quoted(parent.text)), which is not in the store"
      case .endless: "parents that are a ring, or more than a chain may have"
      }
    return "account \(quoted(account.name.text)) has \(what); \(Account.parentRemedy)"
  }
}

extension VerifierBooks {
  /// The accounts whose parents are no chain, in the order of registration; none where records
  /// can't be read, as these may say otherwise.
  func brokenChains() throws(StoreFault) -> [BrokenChain] {
    if hasGaps { return [] }
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
