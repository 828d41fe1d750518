/// The rules that a response may break without harm, because its meaning is certain.
public struct ToleratedFaults: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A field value goes on in the next line. The fold counts as spaces (RFC 9112 5.2).
    public static let obsoleteFold = ToleratedFaults(rawValue: 1)
    /// The same `Content-Length` is there more than once. It counts once (RFC 9110 8.6).
    public static let repeatedContentLength = ToleratedFaults(rawValue: 2)
    /// The status is 600 to 999. It counts as a server error (RFC 9110 15).
    public static let unknownStatusClass = ToleratedFaults(rawValue: 4)

    /// The broken rules as text, without bytes of the message.
    public var messages: [String] {
        [
            contains(.obsoleteFold) ? "a field value is folded" : nil,
            contains(.repeatedContentLength) ? "Content-Length is repeated" : nil,
            contains(.unknownStatusClass) ? "the status is above 599" : nil,
        ].compactMap { $0 }
    }
}
