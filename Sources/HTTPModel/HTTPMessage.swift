import ASCIIText

/// A request without its body.
public struct HTTPRequestHead: Sendable, Hashable {
    /// The method.
    public var method: HTTPMethod
    /// The target as received or to be sent.
    public var target: RequestTarget
    /// The version of HTTP.
    public var version: HTTPVersion
    /// The header fields.
    public var fields: HTTPFields

    /// Creates the head of a request.
    public init(
        method: HTTPMethod, target: RequestTarget, version: HTTPVersion = .http11, fields: HTTPFields = [:]
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
    }

    /// The authority that the request addresses: from an absolute target, else from Host (RFC 9112 3.2.2).
    public var authorityBytes: ArraySlice<UInt8>? {
        target.authorityBytes ?? fields.firstValueBytes(.host)
    }
}

/// A response without its body.
public struct HTTPResponseHead: Sendable, Hashable {
    /// The version of HTTP.
    public var version: HTTPVersion
    /// The status.
    public var status: HTTPStatus
    /// The header fields.
    public var fields: HTTPFields

    /// Creates the head of a response.
    public init(version: HTTPVersion = .http11, status: HTTPStatus, fields: HTTPFields = [:]) {
        self.version = version
        self.status = status
        self.fields = fields
    }
}

/// A request that a server has received completely.
public struct ReceivedRequest: Sendable, Hashable {
    /// The request line and the fields.
    public var head: HTTPRequestHead
    /// The decoded body.
    public var body: ArraySlice<UInt8>

    /// Creates a request with its body.
    public init(head: HTTPRequestHead, body: ArraySlice<UInt8> = []) {
        self.head = head
        self.body = body
    }
}

/// A complete response. The pieces of its body are written in order.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields.
    public var fields: HTTPFields
    /// The body, in pieces that are sent one after the other.
    public var body: [ArraySlice<UInt8>]

    /// Creates a response.
    public init(status: HTTPStatus, fields: HTTPFields = [:], body: [ArraySlice<UInt8>] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The total length of all pieces in bytes.
    public var bodyCount: Int { body.reduce(0) { $0 + $1.count } }
}

extension HTTPFields: Hashable {
    /// Adds to the hasher what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        withEachField { name, value in
            for byte in name { hasher.combine(ASCII.lowercased(byte)) }
            hasher.combine(bytes: value)
        }
    }
}
