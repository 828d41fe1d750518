public import HTTPModel

extension GatewayRequest {
    /// The client's address without its port: `192.0.2.1`, `2001:db8::1`. Behind a proxy that is not trusted
    /// (`ClientSettings.trusted`) it is the proxy's address.
    public var clientAddress: String {
        if let client, client.address != nil { return client.text }
        let text = remoteAddress
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return String(text[text.index(after: text.startIndex)..<end])
        }
        return text.lastIndex(of: ":").map { String(text[..<$0]) } ?? text
    }

    /// The host and the port that the request is for, as the client wrote them: `shop.example:8080`. Nil if
    /// an HTTP/1.0 client has named none. Behind a trusted proxy that tells them, they are the client's.
    public var authority: String? {
        client?.host ?? head.authorityBytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The host that the request is for, without its port: `shop.example`, `[2001:db8::1]`.
    public var host: String? {
        authority.map { authority in
            guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
                return authority
            }
            return String(authority[..<colon])
        }
    }

    /// The path, percent-encoded.
    public var path: String { head.target.path }

    /// The full URL, percent-encoded: `http://shop.example/api/products?page=2`. Without an authority, path
    /// and query alone.
    public var url: String {
        let query = head.target.query.map { "?\($0)" } ?? ""
        return authority.map { "\(scheme)://\($0)\(path)\(query)" } ?? path + query
    }
}

extension GatewayRequest {
    /// The address by which work that waits is divided in fair shares, with a port.
    var sharer: String { client?.hostAndPort ?? remoteAddress }

    /// What upstreams may learn of the client.
    var clientFacts: ClientFacts { clientFacts(peer: IPAddress(peer: remoteAddress)) }

    /// - Parameter peer: the address in `remoteAddress`.
    func clientFacts(peer: IPAddress?) -> ClientFacts {
        ClientFacts(client, peer: peer, scheme: scheme, host: authority)
    }
}

extension IPAddress {
    /// The address of a peer, as `GatewayRequest.remoteAddress` has it; nil for a Unix socket.
    init?(peer: String) {
        guard let colon = peer.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(IPNetwork.withoutBrackets(peer[..<colon]))
    }
}

extension GatewayRequest {
    /// The cookies of the request, in order (RFC 6265 4.2.1). Values are as sent, quotes included.
    public var cookies: [(name: String, value: String)] {
        cookieBytes.map {
            (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
        }
    }

    var cookieBytes: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] { fields.cookieBytes }

    /// Returns the value of the first cookie of that name, if any.
    public func cookie(_ name: String) -> String? { cookies.first { $0.name == name }?.value }

    /// Reads a field of the request's head, which must be given once. A missing or invalid one is 400 and
    /// names the field.
    public func header<Value: RequestValue>(_ name: HTTPFieldName, as type: Value.Type) throws -> Value {
        try parameter(.field(name.description, as: type))
    }
}

extension HTTPFields {
    /// The cookies of a request, in order (RFC 6265 4.2.1).
    var cookieBytes: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
        valueBytes(of: .cookie).flatMap { field in
            field.split(separator: UInt8(ascii: ";")).compactMap { pair in
                let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), equals != pair.startIndex else {
                    return nil
                }
                return (pair[..<equals], pair[(equals + 1)...])
            }
        }
    }
}
