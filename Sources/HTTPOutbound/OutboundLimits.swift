/// Every bound of the client. The defaults are a gateway's, which answers for others and refuses early; `program` is for
/// programs that make calls of their own.
public struct OutboundLimits: Sendable, Hashable {
    /// Connections to one upstream on one loop, connecting ones included. Default 64.
    public var connectionsPerUpstream = 64
    /// Calls that wait for a connection, over all upstreams of one loop. Default 4096; the next one fails at
    /// once with `connection_limit_reached`.
    public var waitingCalls = 4096
    /// Time a call waits for a connection before it fails with `connection_limit_reached`; nil: as long as its total time
    /// allows. Default 1 s.
    public var waitTimeout: Duration? = .seconds(1)

    /// Time to resolve the name and to connect, for one attempt. Default 1 s.
    public var connectTimeout: Duration = .seconds(1)
    /// Time after which the next of a name's addresses is tried beside those before it (RFC 8305 5), 100 ms to 2 s.
    /// Default 250 ms.
    public var connectAttemptDelay: Duration = .milliseconds(250)
    /// Time from the request's last byte to the response's first. Default 5 s.
    public var firstByteTimeout: Duration = .seconds(5)
    /// Longest silence within a response. Default 5 s.
    public var readTimeout: Duration = .seconds(5)
    /// Time in which the upstream has to take some of a request that it did not take whole. Default 5 s. Progress is
    /// looked for once in that time, so an upstream that stops taking is given up after one to two of them.
    public var writeTimeout: Duration = .seconds(5)
    /// Time for the whole call from its start to the response's last byte, whatever trickles in. Default 10 s.
    public var totalTimeout: Duration = .seconds(10)

    /// The longest that the caller's own side may stand still within a call: paused while a streamed response comes, or
    /// owing a piece of a streamed request. Default 60 s; then `http_response_timeout`, `connection_write_timeout`.
    public var pauseTimeout: Duration = .seconds(60)
    /// Time that a body which expects a 100 (Continue) waits for it before it is sent all the same. Default 1 s.
    public var continueTimeout: Duration = .seconds(1)

    /// Time a pooled connection may lie idle. Default 30 s.
    public var idleTimeout: Duration = .seconds(30)
    /// Age at which a connection is used no more. Default 10 min.
    public var connectionAge: Duration = .seconds(600)
    /// Requests after which a connection is used no more. Default 1000.
    public var requestsPerConnection = 1000

    /// Bytes of a response's body that is gathered, transfer and content codings removed. Default 8 MiB; beyond it
    /// `http_response_body_size`. One that is taken in pieces has the limit of its `BodyDelivery`.
    public var responseBody = 8 << 20
    /// Bytes that each byte of a coded body may become when more than 1 MiB came out, gathered or not. Default 100; beyond
    /// it `http_response_body_size`. Nil for as many as may be.
    public var decodingRatio: Int? = 100
    /// Bytes of a response's head. Default 32 KiB; beyond it `http_response_header_section_size`.
    public var responseHead = 32 << 10
    /// Fields of a response. Default 100.
    public var responseFields = 100
    /// Informational (1xx) responses before the final one. Default 10.
    public var informationalResponses = 10

    public init() {}

    /// The defaults, but that calls wait for a connection as long as their total time allows, 65 536 of them on each loop.
    public static let program: OutboundLimits = {
        var limits = OutboundLimits()
        limits.waitTimeout = nil
        limits.waitingCalls = 65_536
        return limits
    }()
}
