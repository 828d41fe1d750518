import ASCIIText

/// An `http` or `https` URL (RFC 9110 4.2), read strictly.
public struct HTTPURL: Sendable, Hashable {
    /// The scheme of a URL.
    public enum Scheme: String, Sendable, Hashable {
        case http
        case https

        /// The port of a URL without one: 80 or 443.
        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    /// Why text is not such a URL.
    public enum Failure: Error, Sendable, Hashable {
        case scheme, userinfo, host, port, forbiddenByte, fragment, malformedEscape
    }

    /// The scheme.
    public var scheme: Scheme
    /// In lower case; an IPv6 address has no brackets.
    public var host: String
    /// The scheme's default if the text has none.
    public var port: Int
    /// Percent-encoded as given; `/` if the text has none.
    public var path: String
    /// Percent-encoded as given, without its `?`; nil if there is no `?`.
    public var query: String?

    /// Parses a URL. Throws if it has another scheme, user information, a fragment or bytes that need
    /// encoding.
    public init(_ text: String) throws(Failure) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw .forbiddenByte }
        guard !bytes.contains(Byte.hash) else { throw .fragment }
        guard let colon = bytes.firstIndex(of: Byte.colon), bytes[colon...].starts(with: Array("://".utf8)),
            let scheme = Scheme(rawValue: String(decoding: bytes[..<colon], as: UTF8.self).lowercased())
        else { throw .scheme }
        let start = colon + 3
        let authorityEnd =
            bytes[start...].firstIndex { $0 == Byte.slash || $0 == Byte.questionMark } ?? bytes.count
        let authority = bytes[start..<authorityEnd]
        guard !authority.contains(Byte.at) else { throw .userinfo }
        guard let hostEnd = authority.withUnsafeBytes({ Authority.hostEnd(in: $0) }) else { throw .host }
        self.scheme = scheme
        let hostText = String(decoding: authority.prefix(hostEnd), as: UTF8.self).lowercased()
        host = hostText.hasPrefix("[") ? String(hostText.dropFirst().dropLast()) : hostText
        port = try Self.port(authority.dropFirst(hostEnd), scheme: scheme)
        let pathEnd = bytes[authorityEnd...].firstIndex(of: Byte.questionMark) ?? bytes.count
        let path = bytes[authorityEnd..<pathEnd]
        guard Self.escapesAreWellFormed(bytes[authorityEnd...]) else { throw .malformedEscape }
        self.path = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
        query = pathEnd < bytes.count ? String(decoding: bytes[(pathEnd + 1)...], as: UTF8.self) : nil
    }

    private static func port(_ bytes: ArraySlice<UInt8>, scheme: Scheme) throws(Failure) -> Int {
        guard let colon = bytes.first else { return scheme.defaultPort }
        let digits = bytes.dropFirst()
        guard colon == Byte.colon else { throw .host }
        guard digits.count <= 5, digits.allSatisfy(ASCII.isDigit) else { throw .port }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - Byte.zero) }
        guard (1...65535).contains(port) else { throw .port }
        return port
    }

    private static func escapesAreWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let percent = rest.firstIndex(of: Byte.percent) {
            guard PercentEncoding.byte(ofEscapeAt: percent, in: rest) != nil else { return false }
            rest = rest[(percent + 3)...]
        }
        return true
    }

    /// `host[:port]` for Host: without the scheme's default port, and with brackets around an IPv6 address.
    public var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? host : "\(host):\(port)"
    }

    /// The request target in origin-form, `path[?query]`.
    public var target: String {
        query.map { "\(path)?\($0)" } ?? path
    }
}

extension HTTPURL: CustomStringConvertible {
    /// The value as text, for logs and messages.
    public var description: String { "\(scheme.rawValue)://\(authority)\(target)" }
}

extension HTTPURL.Failure: CustomStringConvertible {
    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .scheme: "a URL begins with http:// or https://"
        case .userinfo: "a URL has no user name or password before its host"
        case .host: "the host is not valid"
        case .port: "the port is not a number from 1 to 65535"
        case .forbiddenByte: "a URL has no blank, control character or character beyond ASCII"
        case .fragment: "a URL that is called has no # part"
        case .malformedEscape: "a % is not followed by two hexadecimal digits"
        }
    }
}
