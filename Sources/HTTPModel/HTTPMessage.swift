import ASCIIText

/// A request without its body.
public struct HTTPRequestHead: Sendable, Hashable {
    public var method: HTTPMethod
    public var target: RequestTarget
    public var version: HTTPVersion
    public var fields: HTTPFields

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
    public var version: HTTPVersion
    public var status: HTTPStatus
    public var fields: HTTPFields

    public init(version: HTTPVersion = .http11, status: HTTPStatus, fields: HTTPFields = [:]) {
        self.version = version
        self.status = status
        self.fields = fields
    }
}

/// A request that a server has received completely.
public struct ReceivedRequest: Sendable, Hashable {
    public var head: HTTPRequestHead
    public var body: ArraySlice<UInt8>

    public init(head: HTTPRequestHead, body: ArraySlice<UInt8> = []) {
        self.head = head
        self.body = body
    }
}

/// A complete response. The pieces of its body are written in order.
public struct HTTPResponse: Sendable {
    public var status: HTTPStatus
    public var fields: HTTPFields
    public var body: [ArraySlice<UInt8>]

    public init(status: HTTPStatus, fields: HTTPFields = [:], body: [ArraySlice<UInt8>] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The total length of all pieces in bytes.
    public var bodyCount: Int { body.reduce(0) { $0 + $1.count } }
}

extension HTTPFields: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        withEachField { name, value in
            for byte in name { hasher.combine(ASCII.lowercased(byte)) }
            hasher.combine(bytes: value)
        }
    }
}
