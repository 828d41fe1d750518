/// A reply in the Redis serialization protocol, version 2 (RESP2).
public enum StoreReply: Hashable, Sendable {
    /// A short text such as `OK`.
    case status(String)
    /// A text that begins with a code: `NOSCRIPT No matching script.`
    case error(String)
    /// A whole number.
    case integer(Int64)
    /// Bytes.
    case bytes([UInt8])
    /// Neither bytes nor an array.
    case null
    /// Replies in order.
    case array([StoreReply])
}

/// Why bytes are not a reply that this reader accepts.
public enum ReplyFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes do not follow the protocol.
    case malformed
    /// A reply exceeds the limit of its size.
    case tooLong
    /// An array has too many elements.
    case tooManyElements
    /// Arrays are nested too deeply.
    case tooDeep
    /// Memory is exhausted.
    case noMemory

    /// The fault in words, for logs. It never contains bytes of the reply.
    public var description: String {
        switch self {
        case .malformed: "a reply does not follow the Redis protocol"
        case .tooLong: "a reply is longer than \(ReplyReader.mostBytes) bytes"
        case .tooManyElements: "an array has more than \(ReplyReader.mostElements) elements"
        case .tooDeep: "arrays are nested more than \(ReplyReader.mostLevels) levels deep"
        case .noMemory: "memory is exhausted"
        }
    }
}
