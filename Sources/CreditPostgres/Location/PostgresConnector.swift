#if Postgres
  internal import CPostgres
  public import CreditServer
  internal import CreditSystem

  /// Connections to the server of one location.
  public final class PostgresConnector: ServerConnector {
    private let location: ServerLocation
    private let support = KeptStatements.Support()

    /// - Parameter url: `postgres://` or `postgresql://`; no message shows a password in it.
    public init(url: String) throws(UnusableLocation) {
      location = try ServerLocation(url: url)
    }

    /// Connects to the first host that answers and has the requested kind. Each has the location's
    /// `connect_timeout`: libpq itself would wait forever for a silent one. Only the look-up of a
    /// host's name, which libpq leaves to the C library, may exceed the deadline.
    public func connect(until deadline: Deadline) throws(ServerFault) -> any ServerLink {
      var reasons: [String] = []
      for host in location.hosts {
        do throws(ServerFault) {
          return try connect(
            host, until: deadline.earlier(.after(seconds: location.timeoutSeconds)))
        } catch {
          if deadline.isPast { throw error }
          switch error {
          case .unreachable(let reason): reasons.append(reason)
          case .timedOut:
            reasons.append("\(host.name) did not answer within \(location.timeoutSeconds) s")
          case .lost, .refused: throw error
          }
        }
      }
      throw .unreachable(reasons.joined(separator: "; "))
    }

    private func connect(_ host: ServerHost, until deadline: Deadline) throws(ServerFault)
      -> any ServerLink
    {
      let start = host.withOptions { PQconnectStartParams($0, $1, 0) }
      guard let connection = start else { throw .unreachable("no memory for a connection") }
      do {
        try finish(connection, until: deadline)
      } catch {
        PQfinish(connection)
        throw error
      }
      PQsetNoticeReceiver(connection, { _, _ in }, nil)
      return PostgresLink(connection, keeping: support)
    }

    private func finish(
      _ connection: OpaquePointer, until deadline: Deadline
    ) throws(ServerFault) {
      PQsetNoticeReceiver(connection, { _, _ in }, nil)
      var step =
        PQstatus(connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
      while step != PGRES_POLLING_OK {
        guard step != PGRES_POLLING_FAILED else {
          throw .unreachable(messageOfLibrary(PQerrorMessage(connection)))
        }
        // Each step may be on another socket.
        try PQsocket(connection).wait(
          step == PGRES_POLLING_READING ? .reading : .writing, until: deadline)
        step = PQconnectPoll(connection)
      }
    }
  }
#endif
