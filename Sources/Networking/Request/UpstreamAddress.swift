import HTTPModel

/// One parsed base URL of an upstream.
struct UpstreamAddress: Sendable {
    let url: HTTPURL
    /// The path of the base URL without a trailing slash: empty, or `/prefix`.
    let prefix: [UInt8]
    /// Nil for TCP.
    let unixSocketPath: String?

    /// Maximum number of base URLs of one upstream.
    static let maximum = 64

    /// Parses the base URLs of an upstream. The result has at least one address.
    static func parse(
        _ texts: [String], of upstream: String
    ) throws(Upstream.InvalidBaseURL) -> [UpstreamAddress] {
        guard (1...maximum).contains(texts.count) else {
            throw Upstream.InvalidBaseURL(
                upstream: upstream, value: texts.first ?? "",
                reason: "an upstream has 1 to \(maximum) base URLs, not \(texts.count)")
        }
        var addresses: [UpstreamAddress] = []
        for text in texts {
            func invalid(_ reason: String) -> Upstream.InvalidBaseURL {
                Upstream.InvalidBaseURL(upstream: upstream, value: text, reason: reason)
            }
            let address = try UpstreamAddress(text, of: upstream)
            if texts.count > 1, address.unixSocketPath != nil {
                throw invalid("an upstream with several base URLs has no Unix-domain socket")
            }
            if let first = addresses.first {
                guard address.url.scheme == first.url.scheme else {
                    throw invalid("the scheme differs from the first base URL, \(first.url)")
                }
                guard address.prefix == first.prefix else {
                    throw invalid("the path differs from the first base URL, \(first.url)")
                }
            }
            guard !addresses.contains(where: { $0.url.hasSameServer(as: address.url) }) else {
                throw invalid("two base URLs have the origin \(address.url.origin)")
            }
            addresses.append(address)
        }
        return addresses
    }

    private init(_ text: String, of upstream: String) throws(Upstream.InvalidBaseURL) {
        func invalid(_ reason: String) -> Upstream.InvalidBaseURL {
            Upstream.InvalidBaseURL(upstream: upstream, value: text, reason: reason)
        }
        let socket = Self.unixSocket(text)
        unixSocketPath = socket?.path
        do {
            url = try HTTPURL(socket.map { "http://localhost\($0.prefix)" } ?? text)
        } catch {
            throw invalid("\(error)")
        }
        if let path = socket?.path, !(2...107).contains(path.utf8.count) || path.utf8.contains(0) {
            throw invalid("the path of a socket has 2 to 107 bytes")
        }
        guard url.query == nil else { throw invalid("a base URL has no query") }
        var path = url.path.utf8[...]
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        prefix = Array(path)
        if let fault = prefix.withUnsafeBytes({ TargetRules.fault(inPath: $0) }), !prefix.isEmpty {
            throw invalid(fault)
        }
        // A call's path may contain an empty segment, but in a configured URL it is a mistake.
        guard !String(decoding: prefix, as: UTF8.self).contains("//") else {
            throw invalid("the path has an empty segment")
        }
    }

    /// Splits at the first colon into socket path and prefix.
    private static func unixSocket(_ text: String) -> (path: String, prefix: String)? {
        guard text.hasPrefix("unix:/") else { return nil }
        let rest = text.dropFirst("unix:".count)
        guard let colon = rest.firstIndex(of: ":") else { return (String(rest), "") }
        return (String(rest[..<colon]), String(rest[rest.index(after: colon)...]))
    }
}
