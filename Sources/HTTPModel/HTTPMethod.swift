import ASCIIText

/// A request method (RFC 9110 9): a case-sensitive token.
public struct HTTPMethod: Sendable, Hashable {
    @usableFromInline
    enum Storage: Sendable, Hashable {
        case get, head, post, put, delete, patch, options, trace, connect
        case other(String)
    }

    @usableFromInline let storage: Storage

    @inlinable
    init(_ storage: Storage) {
        self.storage = storage
    }

    /// `GET`.
    public static var get: HTTPMethod { HTTPMethod(.get) }
    /// `HEAD`.
    public static var head: HTTPMethod { HTTPMethod(.head) }
    /// `POST`.
    public static var post: HTTPMethod { HTTPMethod(.post) }
    /// `PUT`.
    public static var put: HTTPMethod { HTTPMethod(.put) }
    /// `DELETE`.
    public static var delete: HTTPMethod { HTTPMethod(.delete) }
    /// `PATCH`.
    public static var patch: HTTPMethod { HTTPMethod(.patch) }
    /// `OPTIONS`.
    public static var options: HTTPMethod { HTTPMethod(.options) }
    /// `TRACE`.
    public static var trace: HTTPMethod { HTTPMethod(.trace) }
    /// `CONNECT`.
    public static var connect: HTTPMethod { HTTPMethod(.connect) }

    /// Whether RFC 9110 9.2.1 defines the method as safe: it requests no change of state.
    public var isSafe: Bool {
        switch storage {
        case .get, .head, .options, .trace: true
        case .post, .put, .delete, .patch, .connect, .other: false
        }
    }

    /// Whether RFC 9110 9.2.2 defines the method as idempotent: sending it twice has the effect of sending it
    /// once.
    public var isIdempotent: Bool {
        switch storage {
        case .get, .head, .options, .trace, .put, .delete: true
        case .post, .patch, .connect, .other: false
        }
    }

    // Checked on every request, so they avoid the comparison of names in `==`.
    @inlinable package var isGet: Bool { if case .get = storage { true } else { false } }
    @inlinable package var isHead: Bool { if case .head = storage { true } else { false } }

    /// Whether a request without content sends `Content-Length: 0` (RFC 9110 8.6).
    public var anticipatesContent: Bool {
        switch storage {
        case .post, .put, .patch: true
        case .get, .head, .delete, .options, .trace, .connect, .other: false
        }
    }
}

extension HTTPMethod {
    // Not RawRepresentable: the compiler would prefer its `==`, which compares the names as strings.

    /// Returns nil if the text is not a token (RFC 9110 5.6.2).
    public init?(rawValue: String) {
        var text = rawValue
        let method = text.withUTF8 { HTTPMethod(bytes: UnsafeRawBufferPointer($0)) }
        guard let method else { return nil }
        self = method
    }

    /// The name on the wire, which is case-sensitive.
    public var rawValue: String {
        switch storage {
        case .other(let text): text
        case .get, .head, .post, .put, .delete, .patch, .options, .trace, .connect: name.description
        }
    }

    /// Returns nil if the bytes are not a token (RFC 9110 5.6.2).
    public init?(bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty, bytes.allSatisfy(ASCII.isTokenByte) else { return nil }
        self.init(token: bytes)
    }

    /// - Precondition: the bytes are a token.
    package init(token bytes: UnsafeRawBufferPointer) {
        storage = Self.known(bytes) ?? .other(String(decoding: bytes, as: UTF8.self))
    }

    private static func known(_ bytes: UnsafeRawBufferPointer) -> Storage? {
        let candidate: Storage
        switch bytes.count {
        case 3: candidate = bytes[0] == UInt8(ascii: "G") ? .get : .put
        case 4: candidate = bytes[0] == UInt8(ascii: "H") ? .head : .post
        case 5: candidate = bytes[0] == UInt8(ascii: "P") ? .patch : .trace
        case 6: candidate = .delete
        case 7: candidate = bytes[0] == UInt8(ascii: "O") ? .options : .connect
        default: return nil
        }
        let same = HTTPMethod(candidate).name.withUTF8Buffer { name in
            for index in 0..<bytes.count where name[index] != bytes[index] { return false }
            return true
        }
        return same ? candidate : nil
    }

    /// The name of a known method; empty for `other`.
    private var name: StaticString {
        switch storage {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .patch: "PATCH"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .other: ""
        }
    }

    /// Calls `body` with the name's bytes, which are valid during the call.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch storage {
        case .other(var text):
            return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .get, .head, .post, .put, .delete, .patch, .options, .trace, .connect:
            let name = name
            return body(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        }
    }

    /// In bytes.
    package var length: Int {
        if case .other(let text) = storage { return text.utf8.count }
        return name.utf8CodeUnitCount
    }
}

extension HTTPMethod: CustomStringConvertible {
    /// The value as text, for logs and messages.
    public var description: String { rawValue }
}
