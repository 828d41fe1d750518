/// The limits of the client. The defaults suit a gateway, which refuses early; `program` suits other
/// programs.
public struct OutboundLimits: Sendable, Hashable {
    /// Connections to one upstream on one loop, including those still connecting; to each address of an
    /// upstream that has several. Default 64.
    public var connectionsPerUpstream = 64
    /// The part of `connectionsPerUpstream` that calls may have whose responses go to a client of a gateway
    /// as they arrive. The client may be slow, and such calls would leave none to the others. Beyond it they
    /// wait for each other, while other calls overtake them. 0 to 1, for at least one connection.
    /// Default 0.5.
    public var relayShare = 0.5
    /// Calls that wait for a connection, over all upstreams of one loop. Beyond it calls fail at once with
    /// `connection_limit_reached`. Default 4096.
    public var waitingCalls = 4096
    /// Time that a call waits for a connection before it fails with `connection_limit_reached`; nil to wait
    /// as long as its total time allows. Default 1 s.
    public var waitTimeout: Duration? = .seconds(1)

    /// Time to resolve the name and to connect. Default 1 s.
    public var connectTimeout: Duration = .seconds(1)
    /// How long to try one address before also trying the next (RFC 8305 5), 100 ms to 2 s. Default 250 ms.
    public var connectAttemptDelay: Duration = .milliseconds(250)
    /// Time from the request's last byte to the response's first. Default 5 s.
    public var firstByteTimeout: Duration = .seconds(5)
    /// Longest silence within a response. Default 5 s.
    public var readTimeout: Duration = .seconds(5)
    /// Longest time in which the upstream takes no more of the request. Progress is checked once per this
    /// time, so the call fails after one to two times as long. Default 5 s.
    public var writeTimeout: Duration = .seconds(5)
    /// Time for the whole call, from its start to the last byte of the response. Default 10 s.
    public var totalTimeout: Duration = .seconds(10)

    /// Longest pause on the caller's side: a streamed response that is paused (then `http_response_timeout`),
    /// or a streamed request without its next piece (then `connection_write_timeout`). Default 60 s.
    public var pauseTimeout: Duration = .seconds(60)
    /// How long a body with `Expect: 100-continue` waits for the 100 before it is sent anyway. Default 1 s.
    public var continueTimeout: Duration = .seconds(1)

    /// How long the connection of a cancelled call may take to be opened, or to bring the rest of the
    /// response, before it is closed; in time, it serves other calls. Default 1 s.
    public var drainTime: Duration = .seconds(1)
    /// Bytes of the body of a cancelled call, as they come, after which its connection is closed. Default 256
    /// KiB.
    public var drainedBytes = 256 << 10

    /// How long a pooled connection may be idle. Default 30 s.
    public var idleTimeout: Duration = .seconds(30)
    /// Age at which a connection is closed. Default 10 min.
    public var connectionAge: Duration = .seconds(600)
    /// Requests after which a connection is closed; at least 1. Default 1000.
    public var requestsPerConnection = 1000

    /// Bytes of a gathered response body, decoded. Beyond it `http_response_body_size`. Default 8 MiB.
    public var responseBody = 8 << 20
    /// Most bytes that one byte of an encoded body may decode to, checked after 1 MiB of output. Beyond it
    /// `http_response_body_size`. Default 100; nil for no limit.
    public var decodingRatio: Int? = 100
    /// Bytes of a response's head. Beyond it `http_response_header_section_size`. Default 32 KiB.
    public var responseHead = 32 << 10
    /// Fields of a response. Default 100.
    public var responseFields = 100
    /// Informational (1xx) responses before the final one. Default 10.
    public var informationalResponses = 10

    /// Creates the default values.
    public init() {}

    /// `relayShare` as a number of connections. NaN counts as 0.
    package var relaysPerUpstream: Int {
        if relayShare >= 1 { return connectionsPerUpstream }
        return max(1, relayShare > 0 ? Int(Double(connectionsPerUpstream) * relayShare) : 0)
    }

    /// The defaults, but up to 65 536 calls per loop wait for a connection, as long as their total time
    /// allows.
    public static let program: OutboundLimits = {
        var limits = OutboundLimits()
        limits.waitTimeout = nil
        limits.waitingCalls = 65_536
        return limits
    }()
}
