internal import CreditJSON
internal import CreditModel
internal import CreditStore
internal import CreditSystem

extension Command {
  /// `credit-store export`: the store on standard output, a record a line.
  func export() {
    onStore { store, _ throws(CreditError) in try export(store) }
  }

  private func export(_ store: LocalStore) throws(CreditError) {
    let export = try StoreExport(store)
    var output = JSONWriter(capacity: 1 << 19)
    var hasMore = true
    while hasMore {
      var damage: CreditError?
      do {
        hasMore = try export.write(into: &output)
      } catch {
        damage = error
      }
      do {
        try output.withBytes { bytes throws(SystemError) in try host.streams.write(bytes) }
      } catch {
        return errors.outputFailed(error)
      }
      output.removeAll()
      if let damage { throw damage }
    }
  }

  /// `credit-store import`: a store from what `export` has printed, on standard input.
  func importStore() throws(UsageError) {
    try requireInput()
    onStore { store, output throws(CreditError) in try importStore(store, output) }
  }

  private func importStore(_ store: LocalStore, _ output: ResultOutput) throws(CreditError) {
    let copy = try StoreImport(store)
    let summary: StoreSummary
    do {
      try readInput(into: copy)
      summary = try copy.finish()
    } catch {
      copy.abandon()
      throw error
    }
    output.print { writer in
      writer.beginObject()
      writer.member("store", store.location.path)
      writer.member("records", Int64(summary.records))
      writer.member("accounts", Int64(summary.accounts))
      writer.endObject()
    }
  }

  private func readInput(into copy: StoreImport) throws(CreditError) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 8)
    defer { block.deallocate() }
    while true {
      let count = try host.streams.readInput(into: block)
      if count == 0 { return }
      try copy.append(UnsafeRawBufferPointer(rebasing: block[..<count]))
    }
  }
}
