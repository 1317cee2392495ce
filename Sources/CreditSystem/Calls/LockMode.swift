/// How the store is locked: by one process alone, or by any number that only look.
package enum LockMode: Sendable {
  case exclusive
  case shared
}
