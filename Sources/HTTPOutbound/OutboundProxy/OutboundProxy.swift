import ASCIIText
internal import FoundationEssentials
internal import HTTPModel

/// An HTTP proxy. It tunnels connections to `https` origins (CONNECT, RFC 9110 9.3.6), and forwards requests
/// to `http` origins, sent in absolute-form (RFC 9112 3.2.2).
public struct OutboundProxy: Sendable, Hashable, CustomStringConvertible {
    /// Why a proxy is invalid. Never contains a password.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong, in words.
        public let description: String
    }

    /// The port if a proxy's URL has none: 1080, as in curl.
    public static let defaultPort: UInt16 = 1080

    /// A name, or a numeric address without brackets.
    public let host: String
    /// The port of the proxy.
    public let port: UInt16
    /// The value of Proxy-Authorization (Basic, RFC 7617); nil without a user.
    let authorization: String?

    /// Parses `http://[user[:password]@]host[:port]`, with user and password percent-encoded. `http://` may
    /// be omitted. A path, a query and a fragment are ignored, as in curl.
    public init(_ url: String) throws(Failure) {
        var rest = url[...]
        if let end = url.firstRange(of: "://") {
            let scheme = url[..<end.lowerBound].lowercased()
            guard scheme == "http" else {
                throw Failure(description: "the proxy's scheme is \(scheme), but only http is supported")
            }
            rest = url[end.upperBound...]
        }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // The last @: any earlier one belongs to a password that should have been encoded.
        var userinfo: Substring?
        if let at = rest.lastIndex(of: "@") {
            userinfo = rest[..<at]
            rest = rest[rest.index(after: at)...]
        }
        let bytes = Array(rest.utf8)
        guard let hostEnd = bytes.withUnsafeBytes({ Authority.hostEnd(in: $0) }), hostEnd > 0 else {
            throw Failure(description: "the proxy's host is not valid")
        }
        let written = String(decoding: bytes[..<hostEnd], as: UTF8.self)
        host = written.hasPrefix("[") ? String(written.dropFirst().dropLast()) : written
        port = try Self.port(bytes[hostEnd...])
        authorization = try userinfo.map { text throws(Failure) in try Self.authorization(text) }
    }

    /// Creates a proxy from its parts. `host` is a name, or a numeric address with or without brackets.
    /// `user` must not contain a colon. `password` is ignored without a user.
    public init(host: String, port: UInt16, user: String? = nil, password: String = "") throws(Failure) {
        let isBare = host.contains(":") && !host.hasPrefix("[")
        try self.init("http://\(isBare ? "[\(host)]" : host):\(port)", user: user, password: password)
    }

    private init(_ url: String, user: String?, password: String) throws(Failure) {
        let bare = try OutboundProxy(url)
        (host, port) = (bare.host, bare.port)
        guard user?.contains(":") != true else {
            throw Failure(description: "the proxy's user must not contain a colon")
        }
        authorization = user.map { Self.basicCredentials(Array("\($0):\(password)".utf8)) }
    }

    /// Without user and password.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func port(_ bytes: ArraySlice<UInt8>) throws(Failure) -> UInt16 {
        guard let colon = bytes.first else { return defaultPort }
        let digits = bytes.dropFirst()
        guard colon == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.allSatisfy(ASCII.isDigit),
            let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else { throw Failure(description: "the proxy's port is not a number from 1 to 65535") }
        return port
    }

    private static func authorization(_ userinfo: Substring) throws(Failure) -> String {
        guard var bytes = try? PercentEncoding.decode(userinfo.utf8) else {
            throw Failure(
                description: "a % in the proxy's user or password is not followed by two hexadecimal digits")
        }
        if !bytes.contains(UInt8(ascii: ":")) { bytes.append(UInt8(ascii: ":")) }
        return basicCredentials(bytes)
    }

    private static func basicCredentials(_ bytes: [UInt8]) -> String {
        "Basic \(Data(bytes).base64EncodedString())"
    }
}
