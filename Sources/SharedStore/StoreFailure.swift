/// Why a store did not decide. No text contains a password or what limits count by.
public struct StoreFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a failure: a short name for metrics.
    public enum Kind: String, Sendable, CaseIterable {
        /// The store is not connected.
        case unreachable
        /// The store did not reply in time.
        case timeout
        /// Too many commands wait already.
        case busy
        /// The breaker is open.
        case breaker
        /// The store has no memory left (`maxmemory`).
        case full
        /// User or password are wrong, or the user may not do this.
        case credentials
        /// The store reads its data from disk.
        case loading
        /// The server is a replica, which accepts no writes.
        case readonly
        /// The server does not speak the Redis protocol.
        case `protocol`
        /// The store replied with another error.
        case error
        /// The gateway no longer uses the store.
        case ended
    }

    /// The kind of failure.
    public let kind: Kind
    /// What is wrong, and what would help, in words.
    public let description: String

    /// Creates a failure.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

extension StoreFailure {
    /// Explains an error with which the server replied. Its text is not shown, because a server may repeat
    /// the arguments of a command in it, such as the password.
    ///
    /// - Parameter text: what followed the `-`.
    public init(reply text: String) {
        if let (code, kind, explanation) = Self.explanation(of: text) {
            self.init(kind, "\(explanation) (\(code))")
        } else if text.hasPrefix("ERR max number of clients") {
            self.init(.unreachable, "the store accepts no more connections (maxclients)")
        } else if text.hasPrefix("ERR DB index") {
            self.init(.error, "the store has no database of this number")
        } else if text.hasPrefix("ERR AUTH") || text.hasPrefix("ERR Client sent AUTH") {
            self.init(
                .credentials, "the store expects no password: remove user and password, or set one there")
        } else if text.hasPrefix("ERR unknown command") {
            self.init(.error, "the store lacks a command: Redis 6 or later is needed")
        } else {
            // Codes are upper-case words, and nothing else is copied.
            let code = text.prefix { $0.isASCII && $0.isUppercase }
            self.init(
                .error, "the store replied with an error" + (code.isEmpty ? "" : " (\(code.prefix(20)))"))
        }
    }

    private static func explanation(of text: String) -> (String, Kind, String)? {
        // A script that a command fails in may put words of its own in front (Redis 6).
        explanations.first { code, _, _ in
            text.hasPrefix(code) && text.dropFirst(code.count).first.map { $0 == " " } ?? true
                || text.contains("-\(code) ")
        }
    }

    /// Whether an error says that the server is a replica.
    static func isOfReplica(_ text: String) -> Bool {
        guard let (code, _, _) = explanation(of: text) else { return false }
        return code == "READONLY" || code == "MASTERDOWN"
    }

    private static let explanations: [(String, Kind, String)] = [
        ("OOM", .full, "the store has no memory left: raise maxmemory, or let it evict keys"),
        ("WRONGPASS", .credentials, "the store refused user and password"),
        ("NOAUTH", .credentials, "the store needs a password"),
        (
            "NOPERM", .credentials,
            "the user may not run SELECT, SCRIPT LOAD, or scripts with GET, SET and TIME on these keys"
        ),
        ("LOADING", .loading, "the store is still reading its data"),
        ("READONLY", .readonly, "the store is a read-only replica: name the primary"),
        ("MASTERDOWN", .readonly, "the store is a replica without its primary"),
        ("NOREPLICAS", .readonly, "the store has too few replicas to accept writes"),
        ("MISCONF", .readonly, "the store cannot save its data to disk, so it accepts no writes"),
        ("BUSY", .loading, "the store is busy with another script"),
        ("DENIED", .unreachable, "the store is in protected mode and refuses other hosts"),
        ("CROSSSLOT", .error, "the store is a cluster, which cannot count several limits together"),
        ("MOVED", .error, "the store is a cluster, which cannot count several limits together"),
        ("CLUSTERDOWN", .error, "the store is a cluster that is down"),
        ("WRONGTYPE", .error, "another program uses keys with this prefix: choose another prefix"),
    ]

    static let ended = StoreFailure(.ended, "the gateway no longer uses the store")
    static let noReply = StoreFailure(.timeout, "the store did not reply in time")
    static let breakerIsOpen = StoreFailure(
        .breaker, "the store failed too often, so it is not asked for a while")
    static let tooManyWaiting = StoreFailure(
        .busy, "\(StoreConnection.mostWaiting) commands wait for the store already")
    static let unexpectedReply = StoreFailure(
        .protocol, "the store replied with something that is not a decision")
    static let unaskedReply = StoreFailure(.protocol, "the store sent a reply that nothing had asked for")
}
