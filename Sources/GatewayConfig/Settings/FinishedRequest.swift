public import GatewayCore
public import HTTPInbound
public import HTTPModel

/// A request that is over, as `GatewayServerConfiguration.observer` gets it. The access log has the same
/// figures.
public struct FinishedRequest: Sendable {
    /// The method on the wire; nil if the request's head did not arrive.
    public let method: HTTPMethod?
    /// The path, percent-encoded and without the query; nil if the request's head did not arrive.
    public let path: String?
    /// The status that the client got; if it got none, one that says how the request ended: 499 if the client
    /// left.
    public let status: Int
    /// How the answer ended.
    public let end: InboundOutcome
    /// The client's address with its port.
    public let remoteAddress: String
    /// The client's address without a port: the peer's, or what a trusted proxy tells.
    public let clientAddress: String
    /// From the end of the request's head to the end of its answer.
    public let elapsed: Duration
    /// Bytes of the request, head and body.
    public let bytesReceived: Int
    /// Bytes of the answer, head and body, that the kernel accepted; of a cut answer, those that the client
    /// acknowledged.
    public let bytesSent: Int
    /// What became of the request in the gateway: route, code, parts and upstream calls. Nil for health
    /// checks, static files and requests that were refused before they reached an endpoint or middleware. It
    /// holds the parts' data and the gateway: keep what is read from it, not the summary or this value.
    public let summary: RequestSummary?

    package init(
        method: HTTPMethod?, path: String?, status: Int, end: InboundOutcome, remoteAddress: String,
        clientAddress: String,
        elapsed: Duration, bytesReceived: Int, bytesSent: Int, summary: RequestSummary?
    ) {
        self.method = method
        self.path = path
        self.status = status
        self.end = end
        self.remoteAddress = remoteAddress
        self.clientAddress = clientAddress
        self.elapsed = elapsed
        self.bytesReceived = bytesReceived
        self.bytesSent = bytesSent
        self.summary = summary
    }
}
