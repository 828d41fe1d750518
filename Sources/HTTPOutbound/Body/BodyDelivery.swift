public import EventIO

/// How a call receives the body of its response.
public struct BodyDelivery: Sendable, Hashable {
    let isStreamed: Bool
    let total: TimeAmount?

    /// In one piece, with the end of the call. `OutboundLimits.responseBody` limits its size.
    public static let gathered = BodyDelivery(isStreamed: false, total: nil)

    /// In pieces, as they arrive. Their total size is not limited, but `OutboundLimits.decodingRatio`
    /// applies.
    ///
    /// - Parameter total: time for the whole call from its start, instead of its earlier limit; nil for no
    ///   limit. `readTimeout` still applies.
    public static func streamed(total: TimeAmount? = nil) -> BodyDelivery {
        BodyDelivery(isStreamed: true, total: total ?? .never)
    }
}
