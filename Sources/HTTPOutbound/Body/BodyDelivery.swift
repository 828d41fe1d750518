public import EventIO

/// How a call takes the body of its response.
public struct BodyDelivery: Sendable, Hashable {
    let isStreamed: Bool
    let limit: Int?
    let total: TimeAmount?

    /// Whole, with the end of the call. `OutboundLimits.responseBody` is the most that it may have.
    public static let gathered = BodyDelivery(isStreamed: false, limit: nil, total: nil)

    /// In pieces, as they come.
    ///
    /// - Parameters:
    ///   - limit: bytes, content coding removed, beyond which the call fails with `http_response_body_size`; nil for no
    ///     limit. What grows more than `OutboundLimits.decodingRatio` says fails in any case.
    ///   - total: time for the whole call, from its start, in the place of what it had; nil for no end. The longest
    ///     silence that is allowed, `readTimeout`, stays.
    public static func streamed(limit: Int? = nil, total: TimeAmount? = nil) -> BodyDelivery {
        BodyDelivery(isStreamed: true, limit: limit, total: total ?? .never)
    }
}
