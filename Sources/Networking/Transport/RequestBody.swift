/// The body of a request.
public enum RequestBody: Sendable {
    /// No body. `Content-Length` is sent only if the method anticipates a body.
    case none
    /// Bytes in memory.
    case bytes(ArraySlice<UInt8>)
    // Indirect, so a call has only the size that the usual bodies need.
    /// Bytes that are read while they are sent.
    indirect case stream(any BodySource)

    /// The bytes in memory; nil for a stream or no body.
    public var inMemory: ArraySlice<UInt8>? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// Whether the request has no body. An empty body is a body.
    public var isNone: Bool {
        if case .none = self { true } else { false }
    }

    /// Number of bytes; nil for a stream of unknown length, which is sent chunked.
    public var length: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let source): source.knownLength
        }
    }

    /// Reads the complete body into memory, for logs, tests and small streams. Blocks while it reads a
    /// stream.
    ///
    /// - Throws: `RequestBody.TooLong` if a stream has more than `limit` bytes, and the errors of its reader.
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

    /// The error of a stream that exceeds the limit of `collect(upTo:)`.
    public struct TooLong: Error, Sendable, Hashable, CustomStringConvertible {
        /// Maximum number of bytes.
        public let limit: Int
        /// What is wrong, in words.
        public var description: String { "the body is longer than \(limit) bytes" }
    }
}

/// The source of a streamed body. Each attempt opens it, so a call can be repeated.
public protocol BodySource: Sendable {
    /// The exact number of bytes, for `Content-Length`. Nil or a negative number, such as OkHttp's -1, if it
    /// is unknown in advance; the body is then sent chunked. If the source has fewer or more bytes, the call
    /// fails. A success waits for the source to confirm its end.
    var length: Int64? { get }

    /// Returns a reader at the first byte. May block: transports call it on a helper thread.
    func open() throws -> any BodyReader
}

extension BodySource {
    /// The number of bytes; nil if it is unknown.
    package var knownLength: Int64? { length.flatMap { $0 < 0 ? nil : $0 } }
}

/// Reads a streamed body once, for one attempt. Calls do not overlap, but may come from different threads.
public protocol BodyReader: AnyObject {
    /// Returns the next bytes, at most `count`; empty at the end. May block: transports call it on a helper
    /// thread, on which it holds up no file.
    func read(atMost count: Int) throws -> ArraySlice<UInt8>
}

/// A body that is made of files. Any other source may wait for something else, such as another program.
package protocol FileBasedBody: BodySource {
    /// Whether it contains a pipe, and can be read only once.
    var isPipe: Bool { get }
    /// Whether its bytes are on a disk or in memory, so that no read waits for another program.
    var isStored: Bool { get }
}
