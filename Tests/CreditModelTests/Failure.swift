import CreditModel

/// Returns the error of `body`.
func failure<Value>(_ body: () throws(CreditError) -> Value) -> CreditError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}
