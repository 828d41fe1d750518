internal import EventIO

/// What the server and its eviction order know of a client's connection.
protocol ClientConnection: AnyObject {
    /// Its slot in the server's order.
    var index: Int { get set }
    /// Whether it counts towards the connection limit. If not, it may send one request.
    var holdsPlace: Bool { get set }
    /// With whom it shares what is shared between clients.
    var client: AddressPrefix { get }

    // MARK: Making room

    var evictability: Evictability { get }
    /// Whether its client has its last answer and loses nothing.
    var isServed: Bool { get }
    /// The order does not count it as idle any more.
    func forgetIdleReport()
    /// Closes for a newcomer.
    func giveWay()

    // MARK: Waiting output

    /// Bytes of answers that wait in memory for the client.
    var waitingBytes: Int { get }
    /// When the client should have acknowledged more of its waiting output.
    var readerDueAt: MonotonicTime { get }
    /// The same after asking the kernel what the client has acknowledged.
    func askWhenReaderIsDue() -> MonotonicTime

    // MARK: The server's events

    /// Serves the next requests by another handler.
    func use(_ handler: any InboundHandler, limits: StateLimits)
    func drainAnnounced()
    /// The listener is closed as well.
    func listenerClosed(at now: MonotonicTime)
    /// Clients that were accepted before must leave.
    func clientPolicyChanged()
    func end(_ ending: Ending, _ outcome: InboundOutcome)
}

/// How the server ends a connection.
enum Ending {
    case close
    case reset
}

/// Whether a connection may be closed for a newcomer.
enum Evictability {
    case evictable
    /// A request has begun or waits for its turn, or output waits for the client.
    case busy
    /// The client has just sent something, or its last answer leaves in this wake.
    case active
}
