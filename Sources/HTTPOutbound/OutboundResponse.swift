public import HTTPModel

/// A whole response: every byte that its framing promised has come.
public struct OutboundResponse: Sendable {
    public let head: HTTPResponseHead
    /// The body, transfer coding removed; empty for HEAD, 204 and 304. Starts at index 0.
    public let body: ArraySlice<UInt8>
    public let timings: OutboundTimings
}
