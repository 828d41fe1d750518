package import EventIO

/// How operators reach a gateway, apart from its clients: a listener with a thread of its own, which answers
/// health checks, tells the gateway's state, and reloads and drains it.
///
///     configuration.admin.listen = [.loopback(port: 9902)]
public struct AdminSettings: Sendable, Hashable {
    /// The addresses to listen on. Empty: none. Default nil: none, but `127.0.0.1:9901` in a program
    /// (`GatewayServer.main`, `sluice serve`), which starts without it if another program has that address.
    public var listen: [AdminAddress]?
    /// What requests have to prove with `Authorization: Bearer`, except health checks. Without a token,
    /// loopback and Unix addresses answer anyone, and other addresses answer health checks alone. Default
    /// nil.
    public var token: AdminToken?
    /// Used instead of `listen` if that is nil.
    package var fallback: [AdminAddress] = []

    /// Creates settings without an address.
    public init() {}

    /// Where the gateway listens.
    package var addresses: [AdminAddress] { listen ?? fallback }

    /// The address of programs that name none.
    package static let standard = AdminAddress.loopback(port: 9901)
}

/// An address of the admin listener: a numeric host with a port, or a Unix-domain socket.
public struct AdminAddress: Sendable, Hashable, CustomStringConvertible {
    package let socketAddress: SocketAddress

    package init(_ address: SocketAddress) { socketAddress = address }

    /// - Parameter text: `127.0.0.1:9901`, `[::1]:9901`, `localhost:9901` or `unix:/run/sluice/admin.sock`.
    ///   Port 0 takes any free one.
    /// - Returns: nil for anything else.
    public init?(_ text: String) {
        guard !text.hasPrefix("unix:") else {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), let address = try? SocketAddress(unixPath: path) else { return nil }
            self.init(address)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let (host, digits) = (text[..<colon], text[text.index(after: colon)...])
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard isBracketed || !host.contains(":"), digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let port = Int(digits),
            let address = SocketAddress(host: host == "localhost" ? "127.0.0.1" : String(host), port: port)
        else { return nil }
        self.init(address)
    }

    /// A port of 127.0.0.1.
    public static func loopback(port: Int) -> AdminAddress {
        AdminAddress(SocketAddress.loopback(port: port))
    }

    /// The value as text, for logs and messages.
    public var description: String { socketAddress.description }

    /// Reads the addresses of a flag, a variable or a file.
    ///
    /// - Parameter texts: addresses, or only `off`.
    package static func list(_ texts: [String]) throws(Fault) -> [AdminAddress] {
        if texts == ["off"] { return [] }
        var addresses: [AdminAddress] = []
        for text in texts {
            guard text != "off" else { throw Fault(description: "off must be the only address") }
            guard let address = AdminAddress(text) else {
                throw Fault(
                    description: "\"\(text)\" is not a numeric HOST:PORT such as 127.0.0.1:9901, "
                        + "unix:/path or off")
            }
            guard !addresses.contains(address) || address.socketAddress.port == 0 else {
                throw Fault(description: "\"\(text)\" is listed twice")
            }
            addresses.append(address)
        }
        guard addresses.count <= most else { throw Fault(description: "more than \(most) addresses") }
        return addresses
    }

    static let most = 8

    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }
}

/// A token that operators prove to the admin listener. Its description does not show it.
public struct AdminToken: Sendable, Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// - Parameter text: 16 to 256 visible ASCII characters.
    /// - Returns: nil for anything else.
    public init?(_ text: String) {
        guard (16...256).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        bytes = Array(text.utf8)
    }

    /// Completes "the token is not ...".
    package static let rule = "16 to 256 visible ASCII characters"

    /// Whether these bytes are the token. The time depends on their number alone, so that it tells nothing of
    /// the token.
    package func matches(_ given: some Collection<UInt8>) -> Bool {
        var difference = given.count == bytes.count ? 0 : 1 as UInt8
        for (index, byte) in given.enumerated() { difference |= byte ^ bytes[index % bytes.count] }
        return difference == 0
    }

    /// The token itself, for a request that proves it.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value as text, for logs and messages.
    public var description: String { "***" }
}
