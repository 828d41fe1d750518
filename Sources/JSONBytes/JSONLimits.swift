/// What a document may ask of its reader.
public struct JSONLimits: Sendable, Hashable {
    /// Arrays and objects inside each other. Default 64.
    public var maxDepth: Int
    /// Bytes of one number, its sign and exponent included. Default 256.
    public var maxNumberLength: Int

    public init(maxDepth: Int = 64, maxNumberLength: Int = 256) {
        self.maxDepth = maxDepth
        self.maxNumberLength = maxNumberLength
    }

    public static let standard = JSONLimits()
}
