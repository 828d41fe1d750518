import ASCIIText

/// A request target as received (RFC 9112 3.2). It shares the array of the parsed head; nothing is decoded or
/// copied.
public struct RequestTarget: Sendable {
    /// The forms of a target.
    public enum Form: Sendable, Hashable {
        /// `/path?query`
        case origin
        /// `http://authority/path?query`
        case absolute
        /// `*`: the server as a whole
        case asterisk
        /// `host:port`, for CONNECT
        case authority
    }

    /// The form.
    public let form: Form
    let block: [UInt8]
    let start: UInt32
    let pathStart: UInt32
    /// The index of the `?`, or `end` without one.
    let pathEnd: UInt32
    let end: UInt32

    /// For parsers.
    ///
    /// - Parameters:
    ///   - storage: the head's storage.
    ///   - range: the target's range in the text of the storage.
    ///   - shape: the target's shape.
    package init(in storage: FieldStorage, range: Range<Int>, shape: TargetShape) {
        let start = storage.textStart
        self.init(
            block: storage.bytes, range: start + range.lowerBound..<start + range.upperBound, shape: shape)
    }

    private init(block: [UInt8], range: Range<Int>, shape: TargetShape) {
        self.block = block
        form = shape.form
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        pathStart = start + UInt32(truncatingIfNeeded: shape.path.lowerBound)
        pathEnd = start + UInt32(truncatingIfNeeded: shape.path.upperBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
    }

    /// Returns nil if the text is not a request target.
    public init?(_ text: String) {
        let bytes = [UInt8](text.utf8)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != Byte.hash }) else { return nil }
        guard let shape = bytes.withUnsafeBytes({ TargetShape($0) }) else { return nil }
        self.init(block: bytes, range: 0..<bytes.count, shape: shape)
    }

    /// The whole target as received.
    public var bytes: ArraySlice<UInt8> { block[Int(start)..<Int(end)] }

    /// The path as received, percent-encoded. `/` if an absolute target has none; empty for `*` and
    /// authorities.
    public var pathBytes: ArraySlice<UInt8> {
        if pathStart == pathEnd, form == .absolute { return [Byte.slash] }
        return block[Int(pathStart)..<Int(pathEnd)]
    }

    /// The length of the path as received.
    package var pathLength: Int { Int(pathEnd &- pathStart) }

    /// The query as received, without its `?`; nil if there is no `?`.
    public var queryBytes: ArraySlice<UInt8>? {
        guard pathEnd < end else { return nil }
        return block[Int(pathEnd) + 1..<Int(end)]
    }

    /// `host[:port]` of an absolute or authority target, else nil.
    public var authorityBytes: ArraySlice<UInt8>? {
        switch form {
        case .origin, .asterisk: return nil
        case .authority: return bytes
        case .absolute:
            guard let scheme = bytes.firstIndex(of: Byte.colon) else { return nil }
            return block[scheme + 3..<Int(pathStart)]
        }
    }

    /// The path, percent-encoded.
    public var path: String { String(decoding: pathBytes, as: UTF8.self) }

    /// The query without its question mark, percent-encoded; nil without one.
    public var query: String? { queryBytes.map { String(decoding: $0, as: UTF8.self) } }
}

extension RequestTarget: Hashable {
    /// Whether both are equal.
    public static func == (left: RequestTarget, right: RequestTarget) -> Bool { left.bytes == right.bytes }

    /// Adds to the hasher what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension RequestTarget: CustomStringConvertible {
    /// The value as text, for logs and messages.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
