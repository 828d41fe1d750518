/// The limits of a JSON document that is read.
public struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting of arrays and objects. Default 64.
    public var maxDepth: Int
    /// The longest number, in bytes, including its sign and exponent. Default 256.
    public var maxNumberLength: Int

    /// Creates limits: the levels of nesting, and the bytes of a number.
    public init(maxDepth: Int = 64, maxNumberLength: Int = 256) {
        self.maxDepth = maxDepth
        self.maxNumberLength = maxNumberLength
    }

    /// 64 levels, and numbers of 256 bytes.
    public static let standard = JSONLimits()
}
