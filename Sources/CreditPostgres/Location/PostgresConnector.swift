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
      var isFull = false
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
          case .refused(_, let reason):
            isFull = true
            reasons.append(reason)
          case .lost: throw error
          }
        }
      }
      let reason = reasons.joined(separator: "; ")
      throw isFull ? .refused(.tooManyConnections, message: reason) : .unreachable(reason)
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
      return PostgresLink(connection, keeping: support)
    }

    private func finish(
      _ connection: OpaquePointer, until deadline: Deadline
    ) throws(ServerFault) {
      PQsetNoticeReceiver(connection, { _, _ in }, nil)
      // Only such a message has the server's code, by which a full server is known.
      PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
      var step =
        PQstatus(connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
      while step != PGRES_POLLING_OK {
        guard step != PGRES_POLLING_FAILED else { throw Self.refusal(connection) }
        // Each step may be on another socket.
        try PQsocket(connection).wait(
          step == PGRES_POLLING_READING ? .reading : .writing, until: deadline)
        step = PQconnectPoll(connection)
      }
      PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
    }

    /// Returns the fault of a connection whose messages are verbose: its reason is as without the
    /// server's code and the place in its sources.
    private static func refusal(_ connection: OpaquePointer) -> ServerFault {
      var isFull = false
      var plain = ""
      let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
      for line in message.split(separator: "\n") where !line.hasPrefix("LOCATION:  ") {
        var words = line.split(separator: " ", omittingEmptySubsequences: false)
        // It follows two spaces: `FATAL:  53300: sorry, too many clients already`.
        let place = words.indices.dropFirst().first {
          words[$0 - 1].isEmpty && isCode(words[$0])
        }
        if let place, words.remove(at: place).hasPrefix(SQLState.tooManyConnections.code) {
          isFull = true
        }
        plain += words.joined(separator: " ") + "\n"
      }
      let reason = messageOfLibrary(plain)
      return isFull ? .refused(.tooManyConnections, message: reason) : .unreachable(reason)
    }

    private static func isCode(_ word: Substring) -> Bool {
      word.utf8.count == 6 && word.last == ":"
        && word.dropLast().allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
    }
  }
#endif
