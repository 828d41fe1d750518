public import ASCIIText

/// A field name (RFC 9110 5.1): a case-insensitive token, sent in the case it was given.
///
/// A literal needs no allocation: `let name: HTTPFieldName = "X-Request-Id"`.
public struct HTTPFieldName: Sendable {
    @usableFromInline
    enum Storage: Sendable {
        case literal(StaticString)
        case bytes([UInt8])
    }

    @usableFromInline let storage: Storage

    /// Returns nil if the text is not a token of 1 to 256 bytes.
    public init?(_ text: some StringProtocol) {
        let bytes = [UInt8](text.utf8)
        guard (1...Self.maximumLength).contains(bytes.count), bytes.allSatisfy(ASCII.isTokenByte) else {
            return nil
        }
        storage = .bytes(bytes)
    }

    /// Returns nil if the bytes are not a token of 1 to 256 bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard (1...Self.maximumLength).contains(bytes.count), bytes.allSatisfy(ASCII.isTokenByte) else {
            return nil
        }
        storage = .bytes(Array(bytes))
    }

    @inlinable
    init(literal: StaticString) {
        storage = .literal(literal)
    }

    /// In bytes.
    public static var maximumLength: Int { 256 }

    /// Calls `body` with the name's bytes, which are valid during the call.
    @inlinable
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch storage {
        case .literal(let text): text.withUTF8Buffer { body(UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): bytes.withUnsafeBytes { body($0) }
        }
    }
}

extension HTTPFieldName: ExpressibleByStringLiteral {
    /// Stops a debug build if the literal is not a field name. In a release build, the serializers refuse it.
    @inlinable
    public init(stringLiteral value: StaticString) {
        self.init(literal: value)
        assert(withBytes { !$0.isEmpty && $0.allSatisfy(ASCII.isTokenByte) }, "a field name is a token")
    }
}

extension HTTPFieldName: Hashable {
    /// Whether both are equal.
    public static func == (left: HTTPFieldName, right: HTTPFieldName) -> Bool {
        left.withBytes { left in right.withBytes { ASCII.equalsIgnoringCase(left, $0) } }
    }

    /// Adds to the hasher what `==` compares.
    public func hash(into hasher: inout Hasher) {
        withBytes { bytes in
            for byte in bytes { hasher.combine(ASCII.lowercased(byte)) }
        }
    }
}

extension HTTPFieldName: CustomStringConvertible {
    /// The value as text, for logs and messages.
    public var description: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
