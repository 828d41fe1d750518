/// What a call sends after its head.
public enum RequestBody: Sendable {
    /// No body, and no `Content-Length` unless the method anticipates one.
    case none
    /// Bytes in memory.
    case bytes(ArraySlice<UInt8>)
    // Apart, so that a call with the usual bodies is no larger than they are.
    /// Bytes that are read as they are sent.
    indirect case stream(any BodySource)

    /// The bytes, where they are in memory; nil where there is no body, and where it is a stream.
    public var inMemory: ArraySlice<UInt8>? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// Whether there is no body at all; one of no bytes is one.
    public var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// Bytes in all; nil where only the end of a stream will tell, so that it goes out chunked.
    public var length: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let source): source.length
        }
    }

    /// The whole body in memory, for logs, tests and small streams. Blocks while a stream is read.
    ///
    /// - Throws: `RequestBody.TooLong` for a stream of more than `limit` bytes, and what its reader throws.
    public func collect(upTo limit: Int = 8 * 1024 * 1024) throws -> ArraySlice<UInt8> {
        switch self {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .stream(let source):
            let reader = try source.open()
            var bytes: [UInt8] = []
            while true {
                let piece = try reader.read(atMost: 64 * 1024)
                if piece.isEmpty { return bytes[...] }
                guard bytes.count + piece.count <= limit else { throw TooLong(limit: limit) }
                bytes.append(contentsOf: piece)
            }
        }
    }

    /// A stream that is longer than whoever collects it allows.
    public struct TooLong: Error, Sendable, Hashable, CustomStringConvertible {
        /// Bytes that were allowed.
        public let limit: Int
        public var description: String { "the body is longer than \(limit) bytes" }
    }
}

/// Where a streamed body comes from. It is opened anew for each attempt, so that a call can be made again.
public protocol BodySource: Sendable {
    /// Bytes in all, for `Content-Length`: exactly these have to come. Nil where they are not known beforehand: the body then
    /// goes out chunked.
    var length: Int64? { get }

    /// A reader at the first byte. May block: transports call it on a helper thread.
    func open() throws -> any BodyReader
}

/// One reading of a streamed body. Used by one attempt, one call after the other, not always on the same thread.
public protocol BodyReader: AnyObject {
    /// The next bytes, `count` at most; none at the end. May block: transports call it on a helper thread.
    func read(atMost count: Int) throws -> ArraySlice<UInt8>
}
