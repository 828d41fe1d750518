public import HTTPModel

/// A complete response: every byte that its framing promised has arrived.
public struct OutboundResponse: Sendable {
    /// Status and fields.
    public let head: HTTPResponseHead
    /// The body, transfer coding removed; empty for HEAD, 204 and 304. Its indices need not start at 0.
    public let body: ArraySlice<UInt8>
    /// The instants of the call.
    public let timings: OutboundTimings
    /// Whether the upstream answered before it had the whole request, and the rest was not sent: with a
    /// status of 300 or more.
    public let requestWasCut: Bool
}
