internal import CreditJSON
internal import CreditModel
internal import CreditStore

extension Command {
  /// `credit-store seal`: prints a seal of the records, if earlier seals hold.
  func seal() throws(UsageError) {
    let earlier = settings.arguments[.sealedBefore]
    try requireInput(for: earlier)
    onStore { store, output throws(CreditError) in
      let seals = try earlier.map { file throws(CreditError) in try self.seals(in: file) } ?? []
      let seal = try store.seal(at: settings.now ?? store.systemTime, after: seals)
      output.printObject { $0.sealed(seal, holds: nil) }
    }
  }

  /// `credit-store verify`: a line for each seal; then one line that all is well, or one for each
  /// thing that is wrong.
  func verify() throws(UsageError) {
    let file = settings.arguments[.seal]
    try requireInput(for: file)
    onStore { store, output throws(CreditError) in
      if let file {
        let seals = try seals(in: file)
        for (seal, holds) in zip(seals, try store.hold(seals)) {
          output.printObject { $0.sealed(seal, holds: holds) }
          if !holds { errors.report(seal.broken) }
        }
      }
      let progress = ProgressLine(self)
      let summary = try store.verify { progress.show("verified", $0, of: $1) }
      for finding in summary.findings { output.print(finding) }
      let rest = summary.findingCount - summary.findings.count
      if rest > 0 { throw CreditError(.corruptStore, "\(rest) more findings are not shown") }
      if summary.findings.isEmpty { output.printObject { $0.verified(summary) } }
    }
  }

  /// Reads the seals in a file, or on standard input.
  /// - Throws: `invalid_json`, `invalid_request` if it has none; `io_error`, `permission_denied`.
  private func seals(in file: String) throws(CreditError) -> [StoreSeal] {
    let isInput = file == Self.standardInput
    let name = isInput ? "standard input" : quoted(file)
    let text =
      isInput
      ? try host.streams.readAll(limit: InputFile.byteLimit) : try InputFile.read(file, host.system)
    var stream = JSONStream()
    text.withBytes { stream.append($0) }
    stream.finish()
    var seals: [StoreSeal] = []
    while true {
      switch stream.next() {
      case .value(let value, let line, offset: _):
        guard let seal = StoreSeal(value) else {
          throw .invalidRequest("line \(line) of \(name) is not a seal")
        }
        seals.append(seal)
      case .malformed(let error): throw CreditError(malformed: error)
      case .needsMore, .end, .word:
        if seals.isEmpty {
          throw .invalidRequest("there is no seal in \(name); credit-store seal prints one")
        }
        return seals
      }
    }
  }
}

extension StoreSeal {
  /// Reads what ``ResultVisitor/sealed(_:holds:)`` has written. Further members are ignored.
  fileprivate init?(_ value: JSONValue) {
    guard let seal = value.member("seal"), let store = seal.string("store"),
      let records = seal.int64("records").flatMap(Int.init(exactly:)), records >= 0,
      let bytes = seal.int64("bytes").flatMap(Int.init(exactly:)), bytes >= 0,
      let sha256 = seal.string("sha256"), sha256.utf8.count == 2 * SHA256.digestCount,
      let at = seal.timestamp("at")
    else { return nil }
    self.init(store: store, records: records, bytes: bytes, sha256: sha256, at: at)
  }
}

// The members of seals in results.
extension ResultVisitor where Self: ~Copyable {
  /// - Parameter holds: whether the seal was found to hold; nil if it was made now.
  mutating func sealed(_ known: StoreSeal?, holds: Bool?) {
    part("seal", known) { visitor, known in
      visitor.member("store", known?.store, Text.self)
      visitor.member("records", known?.records, Count.self)
      visitor.member("bytes", known?.bytes, Count.self)
      visitor.member("sha256", known?.sha256, Text.self)
      visitor.member("at", known?.at, Time.self)
    }
    optional("holds", holds, Truth.self)
  }
}

extension JSONShape {
  /// A seal, as it is made or checked.
  static var sealed: JSONShape { ShapeRecorder.shape { $0.sealed(nil, holds: nil) } }
}
