func failure<Value, Failure>(_ body: () throws(Failure) -> Value) -> Failure? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}
