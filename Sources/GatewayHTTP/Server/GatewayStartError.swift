/// Why a gateway could not start.
public struct GatewayStartError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, in words.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
