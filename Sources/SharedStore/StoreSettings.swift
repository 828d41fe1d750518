public import EventIO

/// Where a store is, and how it is asked.
public struct StoreSettings: Sendable {
    /// The address of a server.
    public enum Address: Sendable, Hashable {
        /// A name or a numeric address, with a port.
        case tcp(host: String, port: Int)
        /// A socket in the file system.
        case unix(SocketAddress)
    }

    /// Where the server is.
    public var address: Address
    /// How the connection is encrypted; nil for plain text.
    public var tls: TLSContext?
    /// The user; nil for the server's default user.
    public var user: String?
    /// The password; nil for none.
    public var password: String?
    /// The number of the database. Default 0.
    public var database = 0
    /// How long a command waits for its reply. Default 20 ms.
    public var timeout = TimeAmount.milliseconds(20)
    /// How the names of all keys begin. Default `sluice:`.
    public var prefix = "sluice:"

    /// Creates settings with the defaults.
    public init(_ address: Address) { self.address = address }
}
