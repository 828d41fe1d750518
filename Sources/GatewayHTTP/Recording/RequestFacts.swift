import EventIO
import GatewayCore
import HTTPInbound
import HTTPModel

/// What the server knows of a request that is over. What became of it in the gateway is in its
/// `RequestSummary`.
struct RequestFacts: ~Copyable {
    var method: HTTPMethod?
    /// Percent-encoded and without the query; nil if the request's head did not arrive.
    var path: ArraySlice<UInt8>?
    /// The status that the client got; if it got none, one that says how the request ended.
    var status: Int
    var end: InboundOutcome
    /// The peer's address and port.
    var remote: String
    /// The client's address: the peer's, or what a trusted proxy tells.
    var client: String
    var receivedAt: MonotonicTime
    var bytesReceived: Int
    /// Bytes of the answer, including a 100 (Continue), that the kernel accepted; of a cut answer, the bytes
    /// that the client acknowledged.
    var bytesSent: Int
    /// Nanoseconds from the request's head to the start of its endpoint.
    var startDelay: Int64 = 0
    /// From when on the request is slow, if its endpoint says so.
    var slowLimit: Duration?
    /// Nil if the request's head did not arrive.
    var version: HTTPVersion?
    /// The host and port that the client asked for, or what a trusted proxy tells of them.
    var host: ArraySlice<UInt8>?
    /// The scheme of the request's URL that a trusted proxy tells; nil without one.
    var scheme: String?
    /// The version of TLS; nil for plain HTTP.
    var tls: TLSConfiguration.Version?
    /// The first name of the client's certificate; nil without one.
    var certificate: String?
    /// Empty unless the log has fields of requests.
    var fields = HTTPFields()

    /// - Parameters:
    ///   - status: the answer's; nil without one.
    ///   - slowLimit: the endpoint's.
    ///   - keepsFields: whether the log has fields of requests.
    init(
        _ exchange: InboundExchange, status: Int?, _ end: InboundOutcome, startDelay: Int64 = 0,
        slowLimit: Duration? = nil, keepsFields: Bool
    ) {
        method = exchange.method
        path = exchange.pathBytes
        self.status = Self.status(status, end, hasBegun: exchange.hasBegun)
        self.end = end
        remote = exchange.remoteText
        client = exchange.clientText
        receivedAt = exchange.receivedAt
        bytesReceived = exchange.bytesReceived
        bytesSent = exchange.bytesSent
        self.startDelay = startDelay
        self.slowLimit = slowLimit
        version = exchange.version
        host = exchange.client?.host.map { Array($0.utf8)[...] } ?? exchange.authorityBytes
        scheme = exchange.client?.scheme
        tls = exchange.tlsVersion
        certificate = exchange.clientCertificate?.name
        if keepsFields { fields = exchange.request.head.fields }
    }

    init(_ answer: DirectAnswer, keepsFields: Bool) {
        method = answer.method
        path = Self.path(of: answer.head)
        status = Self.status(answer.response?.status.code, answer.outcome, hasBegun: answer.hasBegun)
        end = answer.outcome
        remote = answer.remoteText
        client = answer.clientText
        receivedAt = answer.receivedAt
        bytesReceived = answer.bytesReceived
        bytesSent = answer.bytesSent
        version = answer.head?.version
        tls = answer.tlsVersion
        certificate = answer.clientCertificate?.name
        // What the server refuses is not shown, but for a valid host that this gateway does not serve.
        if answer.note.refused.isEmpty || status == 421 { host = answer.head?.authorityBytes }
        if keepsFields, let head = answer.head { fields = head.fields }
    }

    /// A request that an operator has explained.
    init(
        explained request: ReceivedRequest, status: Int, from remote: String, client: String,
        slowLimit: Duration?, at began: MonotonicTime, keepsFields: Bool
    ) {
        self.slowLimit = slowLimit
        method = request.head.method
        path = request.head.target.pathBytes
        self.status = status
        end = .completed
        self.remote = remote
        self.client = client
        receivedAt = began
        bytesReceived = 0
        bytesSent = 0
        version = request.head.version
        host = request.head.authorityBytes
        if keepsFields { fields = request.head.fields }
    }

    /// Whether the gateway failed the client: a status of 500 and up, or an answer that it broke off. A
    /// client that left is nobody's failure.
    var isFailure: Bool {
        switch end {
        case .completed: status >= 500
        case .clientGone: false
        case .aborted, .stalled, .drain: true
        }
    }

    /// The code of a request that ended before its client got anything of an answer; nil if its answer was
    /// sent.
    var undeliveredCode: String? {
        switch end {
        case .clientGone: "CANCELLED"
        case .drain: ErrorCode.draining.name
        case .aborted: "ABORTED"
        case .stalled: "STALLED"
        case .completed: nil
        }
    }

    private static func status(_ status: Int?, _ end: InboundOutcome, hasBegun: Bool) -> Int {
        if hasBegun, let status { return status }
        return switch end {
        case .clientGone: HTTPStatus.clientClosedRequest.code
        case .drain: 503
        case .completed: status ?? 500
        case .aborted, .stalled: 500
        }
    }

    private static let asterisk = Array("*".utf8)[...]

    /// Returns nil if the head was not read, or if its target has no path (CONNECT).
    private static func path(of head: HTTPRequestHead?) -> ArraySlice<UInt8>? {
        guard let target = head?.target else { return nil }
        switch target.form {
        case .origin, .absolute: return target.pathBytes
        case .asterisk: return asterisk
        case .authority: return nil
        }
    }
}
