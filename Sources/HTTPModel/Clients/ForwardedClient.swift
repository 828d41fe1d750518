import ASCIIText

/// What trusted proxies tell about a request: who its client is, and how that reached the first of them.
public final class ForwardedClient: Sendable {
    /// The address; nil for the peer of the connection, which is the last trusted hop then.
    public let address: IPAddress?
    /// `address` as text.
    public let text: String
    /// The trusted proxies between the client and the peer, the client's neighbour first.
    package let hops: [IPAddress]
    /// `http` or `https`, if told.
    public let scheme: String?
    /// The client's `Host`, if told.
    public let host: String?

    package init(_ address: IPAddress?, hops: [IPAddress] = [], scheme: String? = nil, host: String? = nil) {
        self.address = address
        text = address?.description ?? ""
        self.hops = hops
        self.scheme = scheme
        self.host = host
    }

    /// The address in the form of a peer's, `192.0.2.1:0`; nil for the peer.
    package var hostAndPort: String? {
        address.map { $0.isIPv4 ? "\(text):0" : "[\(text)]:0" }
    }

    /// Returns the only schemes that a gateway's clients use, in lower case.
    static func scheme(_ text: ArraySlice<UInt8>) -> String? {
        text.withUnsafeBytes { text in
            if ASCII.equals(text, lowercase: "https") { return "https" }
            return ASCII.equals(text, lowercase: "http") ? "http" : nil
        }
    }

    /// Returns a host that a `Host` field may contain.
    static func host(_ text: ArraySlice<UInt8>) -> String? {
        text.withUnsafeBytes { Authority.isValid($0) } ? String(decoding: text, as: UTF8.self) : nil
    }
}

extension TrustedProxies {
    /// Elements of a field that are read.
    static let mostHops = 32

    /// Reads who the client of a request from a trusted peer is.
    ///
    /// From the right, each proxy names the one before it. The first untrusted address is the client; if all
    /// are trusted, the leftmost. A proxy that names nobody is the client itself: its element is malformed,
    /// `unknown` or obfuscated, or too many others are on its right.
    ///
    /// - Returns: nil if the fields tell nothing.
    package func client(of fields: HTTPFields, by header: ClientHeader) -> ForwardedClient? {
        switch header {
        case .xForwardedFor:
            var elements = ForwardedAddresses(fields)
            return client { elements.next() }.client(schemeAndHostOf: fields)
        case .forwarded:
            var elements = ForwardedElements(fields)
            return client { elements.next() }.client
        case .xRealIP:
            let lines = fields.valueBytes(of: .xRealIP)
            // Two lines contradict each other.
            var element = lines.count == 1 ? ForwardedElement(ForwardedNode(lines[0])) : nil
            return client { element.take() }.client(schemeAndHostOf: fields)
        default:
            return nil
        }
    }

    private func client(_ next: () -> ForwardedElement?) -> ReadClient {
        var read = ReadClient()
        var count = 0
        while let element = next() {
            count += 1
            guard count <= Self.mostHops else {
                read.element = nil
                break
            }
            read.element = element
            guard case .address(let address) = element.node else { break }
            if let nearer = read.address { read.hops.append(nearer) }
            read.address = address
            if !contains(address) { break }
        }
        return read
    }
}

/// The result of reading hops from the right.
private struct ReadClient {
    /// Nil for the peer.
    var address: IPAddress?
    /// The nearest to the peer first.
    var hops: [IPAddress] = []
    /// What the last trusted proxy tells.
    var element: ForwardedElement?

    /// With the scheme and the host of the element.
    var client: ForwardedClient? { client(scheme: element?.scheme, host: element?.host) }

    /// With the scheme and the host of `X-Forwarded-Proto` and `X-Forwarded-Host`.
    func client(schemeAndHostOf fields: HTTPFields) -> ForwardedClient? {
        func last(_ name: HTTPFieldName) -> ArraySlice<UInt8>? {
            guard let line = fields.valueBytes(of: name).last else { return nil }
            let start = line.lastIndex(of: Byte.comma).map { $0 + 1 } ?? line.startIndex
            return line[start...].trimmingBlanks
        }
        return client(
            scheme: last(.xForwardedProto).flatMap(ForwardedClient.scheme),
            host: last(.xForwardedHost).flatMap(ForwardedClient.host))
    }

    private func client(scheme: String?, host: String?) -> ForwardedClient? {
        guard address != nil || scheme != nil || host != nil else { return nil }
        return ForwardedClient(address, hops: hops.reversed(), scheme: scheme, host: host)
    }
}
