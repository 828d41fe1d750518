/// What a client may use of the server and how long it may take, per connection and per loop.
///
/// Each comment says what happens beyond the limit. Sizes are in bytes. Times are absolute: further bytes do
/// not restart them.
public struct InboundLimits: Sendable, Hashable {
    /// Time for the TLS handshake, from accept, with a header of the PROXY protocol before it. Default 10 s.
    /// Beyond it: close.
    public var handshakeDeadline = Duration.seconds(10)
    /// TLS handshakes of one loop that are not done. They are among `connections`. Default: a quarter of
    /// `connections`, divided by the loops of a gateway, and at least 256. Beyond it, one gives way to a
    /// newcomer: of the client (an IPv4 address or an IPv6 /64) with the most of them, the longest one
    /// without a complete ClientHello, or one that has waited 1 s for the client since the server's answer.
    /// If all wait for the server, newcomers wait in the backlog.
    public var handshakes: Int?

    /// Longest request target. Default 8 KiB. Beyond it: 414.
    public var target = 8 * 1024
    /// Largest header block, without the request line, with trailers. Default 16 KiB. Beyond it: 431.
    public var headerBlock = 16 * 1024
    /// Longest header line. Default 16 KiB: a line may fill its block, as the token of a user in many groups
    /// does. Beyond it: 431.
    public var headerLine = 16 * 1024
    /// Most header fields. Default 100. Beyond it: 431.
    public var headerCount = 100

    /// Largest request body, even if the handler does not want it. Default 1 MiB. Beyond it: 413, before any
    /// 100-continue if Content-Length says so. An endpoint may set a lower limit. Streamed bodies have their
    /// own limits.
    public var requestBody = 1024 * 1024
    /// Bytes of request bodies in the memory of one loop, until they are freed: while they arrive, while
    /// their requests wait for upstreams, and while calls send them on. They include decoded bodies, and the
    /// unread bytes and the latest piece of streamed ones. Default 128 MiB. Beyond it: 503 `OVERLOADED`.
    public var bufferedBodies = 128 * 1024 * 1024
    /// Bytes of a streamed body that one connection holds for its reader, besides the bytes of its last read
    /// (64 KiB). Default 64 KiB. Beyond it: the connection reads no further until the reader takes them.
    public var unreadBody = 64 * 1024

    /// Time for a request's header block, from accept (first request) or its first byte (later ones). Default
    /// 10 s. Beyond it: 408, or a silent close if no byte arrived.
    public var headerDeadline = Duration.seconds(10)
    /// Time for a request's body, from the end of its header block. Default 30 s. Beyond it: 408. For a
    /// streamed body: time for which its reader waits for the next bytes.
    public var bodyDeadline = Duration.seconds(30)
    /// Lowest average rate of a body, in bytes per second, checked after `bodyRateGrace`. Default 500. Below
    /// it: 408. For a streamed body, only the time in which its reader waits counts.
    public var bodyRate = 500
    /// Time before `bodyRate` is checked. Default 5 s.
    public var bodyRateGrace = Duration.seconds(5)
    /// Time without any acknowledgement from a client for whom output waits. Default 120 s. Beyond it: reset.
    /// (A steady reader of 5 to 50 KB/s with a large window acknowledges only every 25 to 90 s.) On a Unix
    /// socket the bytes taken by the kernel count.
    public var sendStall = Duration.seconds(120)
    /// Lowest average rate at which a client acknowledges output, in bytes per second, from when output began
    /// to wait to the latest acknowledgement. If the output of an answer waits several times, the time
    /// between does not count. Checked after `sendRateGrace`. Default 500. Below it: reset.
    public var sendRate = 500
    /// Time before `sendRate` is checked. Default 30 s.
    public var sendRateGrace = Duration.seconds(30)
    /// Bytes of one answer that wait in memory for a slow client. Default 256 KiB. Beyond it, if the client
    /// is still behind after a second, the whole queue moves to a file in `spoolDirectory`.
    public var residentAnswer = 256 * 1024
    /// The folder for the answers that wait on disk, in files without names. Default `/var/tmp`. If nil, or
    /// if no file can be created, they stay in memory.
    public var spoolDirectory: String? = "/var/tmp"
    /// Bytes of one loop in those files. Default 1 GiB. Beyond it, or with more than `waitingAnswers` being
    /// written, or of a client that has its share of the process's descriptors for files (`FileDescriptors`),
    /// answers stay in memory.
    public var spooledAnswers = 1024 * 1024 * 1024
    /// Bytes of answers that wait in memory on one loop, for all connections together. Default 128 MiB.
    /// Beyond it, a connection is reset whose client reads nothing: of the client (an IPv4 address or an IPv6
    /// /64) that holds most of these bytes, the most overdue connection, going by its own pace. Steady
    /// readers come last.
    public var waitingAnswers = 128 * 1024 * 1024

    /// Time between two requests on a connection. Default 60 s. Beyond it: silent close.
    public var keepAliveIdle = Duration.seconds(60)
    /// Requests answered on one connection. The last answer carries `Connection: close`. Default 1000.
    public var requestsPerConnection = 1000
    /// Open connections. Default 10 000. Several loops may share a limit (`ConnectionTotal`). Beyond it, a
    /// newcomer replaces a connection of its loop: the longest-idle one of the client (an IPv4 address or an
    /// IPv6 /64) that holds most, else the one that has waited longest for a complete head, from 1 s on.
    /// Below it no client is bounded.
    public var connections = 10_000
    /// Connections of one loop that are accepted above `connections`, if none can be replaced, to read one
    /// head each: health checks are answered, others are 503 `OVERLOADED`, and the connection closes.
    /// Default 32. Beyond it, further connections wait in the backlog.
    public var connectionsAboveLimit = 32
    /// Requests on this loop that wait for their handler. Default 2048, of which one endpoint of a gateway
    /// gets at most half. Beyond it: 503 `OVERLOADED`.
    public var requestsInFlight = 2048

    /// Bytes discarded after an answer that ends its connection or comes before the end of its request's
    /// body, so that the client can read the answer: many clients send a whole body, even one beyond a limit,
    /// before they read. Default 16 MiB. Beyond it: close.
    public var discardedBytes = 16 * 1024 * 1024
    /// Time spent on discarding. Default 2 s. Beyond it: close. A body that the server would have read may
    /// take longer, up to `bodyDeadline`, while it arrives at `bodyRate`.
    public var discardTime = Duration.seconds(2)

    /// While draining, the time from closing the listeners that an idle open connection has to send a
    /// request, which is served. Default 1 s. Beyond it: silent close.
    public var drainGrace = Duration.seconds(1)
    /// Time from closing the listeners to resetting the remaining connections. Default 30 s.
    public var drainDeadline = Duration.seconds(30)

    /// Creates the default values.
    public init() {}

    /// Returns the limit of a process's client connections: `most`, at most three eighths of the descriptors,
    /// and at least 1. `descriptors` is `RLIMIT_NOFILE` after its soft limit was raised.
    public static func connections(_ most: Int = 10_000, descriptors: Int) -> Int {
        max(1, min(most, descriptors / 2 - files(descriptors: descriptors)))
    }

    /// Returns the standard for `handshakes`, given the limit of the process's connections.
    package static func handshakes(connections: Int, loops: Int) -> Int {
        max(256, connections / (4 * max(1, loops)))
    }

    /// The part of a process's descriptors that files for clients may take. Connections of clients leave it,
    /// so that clients have half of the descriptors.
    package static let fileShare = 0.125

    /// Returns the limit of a process's `FileDescriptors`, an eighth of the descriptors.
    public static func files(descriptors: Int) -> Int { Int(Double(descriptors) * fileShare) }
}
