/// What makes connections to one server: a gate takes another where one broke.
package protocol ServerConnector: AnyObject {
  /// - Throws: ``ServerFault/unreachable(_:)`` and ``ServerFault/timedOut``.
  func connect(until deadline: Deadline) throws(ServerFault) -> any ServerLink
}
