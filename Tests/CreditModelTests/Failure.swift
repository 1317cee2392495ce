import CreditModel

/// What `body` throws.
func failure<Value>(_ body: () throws(CreditError) -> Value) -> CreditError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}
