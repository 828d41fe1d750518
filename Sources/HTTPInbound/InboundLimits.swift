/// What a client may ask of the server and how long it may take, per connection and per loop.
///
/// Every number has a safe default; what happens beyond it stands beside it. Sizes are bytes, times are
/// absolute: a byte that trickles in does not start one again.
public struct InboundLimits: Sendable, Hashable {
    /// Longest request target. Default 8 KiB. Beyond it: 414.
    public var target = 8 * 1024
    /// Largest header block, request line excluded, trailers included. Default 16 KiB. Beyond it: 431.
    public var headerBlock = 16 * 1024
    /// Longest header line. Default 8 KiB. Beyond it: 431.
    public var headerLine = 8 * 1024
    /// Most header fields. Default 100. Beyond it: 431.
    public var headerCount = 100

    /// Largest request body that is read, also where nobody wants it. Default 1 MiB. Beyond it: 413, before
    /// any 100-continue if Content-Length tells. An endpoint may ask for less.
    public var requestBody = 1024 * 1024
    /// Request bodies held in memory by one loop, all connections together. Default 128 MiB. Beyond it: 503
    /// `OVERLOADED`.
    public var bufferedBodies = 128 * 1024 * 1024

    /// Time for a request's header block, from accept (first request) or its first byte (later ones).
    /// Default 10 s. Beyond it: 408, or a silent close when no byte came.
    public var headerDeadline = Duration.seconds(10)
    /// Time for a request's body, from the end of its header block. Default 30 s. Beyond it: 408.
    public var bodyDeadline = Duration.seconds(30)
    /// Least average rate of a body, in bytes a second, looked at once `bodyRateGrace` is over. Default 500.
    /// Below it: 408.
    public var bodyRate = 500
    /// Time before `bodyRate` counts. Default 5 s.
    public var bodyRateGrace = Duration.seconds(5)
    /// Time in which the client acknowledges no byte while output waits for it. Default 120 s. Beyond it: reset. (Steady
    /// readers of 5 to 50 KB/s with a large window acknowledge only every 25 to 90 s.) On a Unix socket the bytes that the
    /// kernel took count in place of those acknowledged.
    public var sendStall = Duration.seconds(120)
    /// Least average rate at which the client acknowledges output, in bytes a second, from the moment that output began to
    /// wait to the client's latest acknowledgement; looked at once `sendRateGrace` is over. Default 500. Below it: reset.
    public var sendRate = 500
    /// Time before `sendRate` counts. Default 30 s.
    public var sendRateGrace = Duration.seconds(30)
    /// Bytes of one answer that wait in memory for a client that does not read as fast. Default 256 KiB. Beyond it, when
    /// the client is still behind after a second: all of them go to a file in `spoolDirectory`.
    public var residentAnswer = 256 * 1024
    /// Where answers wait for slow clients, in files without names. Default `/var/tmp`. Nil, or where no file can be
    /// made: they stay in memory.
    public var spoolDirectory: String? = "/var/tmp"
    /// Bytes in those files, of one loop. Default 1 GiB. Beyond it, and beyond `waitingAnswers` that are being written: they
    /// stay in memory.
    public var spooledAnswers = 1024 * 1024 * 1024
    /// Bytes of answers that wait in memory for their clients to read, on one loop, all connections together. Default
    /// 128 MiB. Beyond it: the connection whose client has acknowledged nothing for longest is reset.
    public var waitingAnswers = 128 * 1024 * 1024

    /// Time between two requests of one connection. Default 60 s. Beyond it: silent close.
    public var keepAliveIdle = Duration.seconds(60)
    /// Requests answered on one connection; the last answer carries `Connection: close`. Default 1000.
    public var requestsPerConnection = 1000
    /// Connections open at once on this loop. Default 10 000; a process with several loops divides its own
    /// limit among them (`connections(_:descriptors:loops:)`). Beyond it: not accepted until one leaves.
    public var connections = 10_000
    /// Requests that wait for their handler at once, on this loop. Default 1024. Beyond it: 503 `OVERLOADED`.
    public var requestsInFlight = 1024

    /// Bytes thrown away after an answer that ends its connection, so that the client can read the answer: most clients send
    /// all of a body, one that is too long as well, before they read. Default 16 MiB. Beyond it: close.
    public var discardedBytes = 16 * 1024 * 1024
    /// Time spent on that. Default 2 s. Beyond it: close.
    public var discardTime = Duration.seconds(2)

    /// While draining, time that an open connection without a request under way has to send one (it is
    /// answered 503 `DRAINING`, or served if it is the connection's first). Default 1 s. Beyond it: silent
    /// close.
    public var drainGrace = Duration.seconds(1)
    /// Time from the closing of the listeners to the reset of what is left. Default 30 s.
    public var drainDeadline = Duration.seconds(30)

    /// The defaults.
    public init() {}

    /// One loop's share of the process's client connections: min(most, half of the descriptors) / loops, at least 1.
    ///
    /// - Parameters:
    ///   - most: what the process wants at most. Default 10 000.
    ///   - descriptors: `RLIMIT_NOFILE` after its soft limit was raised.
    ///   - loops: how many loops accept.
    public static func connections(_ most: Int = 10_000, descriptors: Int, loops: Int) -> Int {
        max(1, min(most, descriptors / 2) / max(1, loops))
    }
}
