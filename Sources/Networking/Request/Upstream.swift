public import HTTPModel
@_spi(Lines) import JSONBytes
import Locking
import Synchronization

/// One upstream API: its name and address, parsed once, and a number by which a transport finds what it keeps
/// for it without comparing strings.
public final class Upstream: Sendable {
    /// Small, unique in the process, never used again: fit for an array's index.
    public let id: Int
    /// For logs, metrics and messages, e.g. `diary`.
    public let name: String
    /// Scheme, host and port are where calls go; the path is in front of each call's own.
    public let baseURL: HTTPURL
    /// Where calls go instead: a Unix-domain socket. The host is `localhost` then.
    public let unixSocketPath: String?

    /// Whether it is where a redirect led to.
    public let isElsewhere: Bool

    /// Whether the name was chosen for this upstream: then settings by name (TLS, say) are for it. False where a provider is
    /// called by its target's type or for logs alone, and where a redirect led to: such names may collide.
    public let isNamed: Bool

    /// The name as a JSON string, for logs.
    package let jsonName: [UInt8]

    /// The path of the base URL without its last slash: empty, or `/prefix`.
    let prefix: [UInt8]

    /// Parses and checks the address: scheme, host, a path without `.` and `..`, no query.
    ///
    /// - Parameters:
    ///   - name: what logs, metrics and errors call it.
    ///   - text: `http://host:port/prefix`, `https://host:port/prefix`, or the path of a Unix-domain socket:
    ///     `unix:/run/diary.sock`, `unix:/run/diary.sock:/prefix`.
    public convenience init(name: String, baseURL text: String) throws(InvalidBaseURL) {
        try self.init(name: name, baseURL: text, isElsewhere: false, isNamed: true)
    }

    private init(
        name: String, baseURL text: String, isElsewhere: Bool, isNamed: Bool
    ) throws(InvalidBaseURL) {
        func invalid(_ reason: String) -> InvalidBaseURL {
            InvalidBaseURL(upstream: name, value: text, reason: reason)
        }
        let url: HTTPURL
        let socket = Self.unixSocket(text)
        unixSocketPath = socket?.path
        do {
            url = try HTTPURL(socket.map { "http://localhost\($0.prefix)" } ?? text)
        } catch {
            throw invalid("\(error)")
        }
        if let path = socket?.path, !(2...107).contains(path.utf8.count) || path.utf8.contains(0) {
            throw invalid("a socket's path has 2 to 107 bytes")
        }
        guard url.query == nil else { throw invalid("a base URL has no query") }
        var path = url.path.utf8[...]
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        let prefix = Array(path)
        if let fault = prefix.withUnsafeBytes({ TargetRules.fault(inPath: $0) }), !prefix.isEmpty {
            throw invalid(fault)
        }
        // A path of a call may have an empty segment; in a configured address it is a mistake.
        guard !String(decoding: prefix, as: UTF8.self).contains("//") else {
            throw invalid("the path has an empty segment")
        }
        id = Upstream.count.wrappingAdd(1, ordering: .relaxed).oldValue
        self.name = name
        jsonName = JSONLine.array(capacity: name.utf8.count + 2) { $0.string(name) }
        self.isElsewhere = isElsewhere
        self.isNamed = isNamed
        baseURL = url
        self.prefix = prefix
    }

    /// The path ends at the first colon: what follows is the prefix.
    private static func unixSocket(_ text: String) -> (path: String, prefix: String)? {
        guard text.hasPrefix("unix:/") else { return nil }
        let rest = text.dropFirst("unix:".count)
        guard let colon = rest.firstIndex(of: ":") else { return (String(rest), "") }
        return (String(rest[..<colon]), String(rest[rest.index(after: colon)...]))
    }

    private static let count = Atomic(0)

    /// How many observers want to hear of its next response: usually none, and then nobody is told.
    private let watchers = Atomic(0)

    /// Whether anybody wants to hear of its next response. One relaxed load, made for every response.
    @inline(__always)
    var isWatched: Bool { watchers.load(ordering: .relaxed) != 0 }

    /// From here on the observers of transports hear of its responses, until `endWatch()`.
    package func beginWatch() { watchers.wrappingAdd(1, ordering: .relaxed) }

    package func endWatch() { watchers.wrappingSubtract(1, ordering: .relaxed) }
}

extension Upstream {
    private struct Address: Hashable {
        let name: String
        let baseURL: String
        let isElsewhere: Bool
        let isNamed: Bool
    }

    /// Does not keep its upstream.
    private struct Entry: Sendable {
        weak let upstream: Upstream?
    }

    private struct Known: Sendable {
        var entries: [Address: Entry] = [:]
        /// Entries at which those without an upstream are removed.
        var limit = 1024
    }

    private static let known = Lock(Known())

    /// The upstream of that name at that address: the same one for all providers that use it at one time, so that they share what
    /// a transport keeps for it.
    static func known(
        name: String, baseURL: String, isElsewhere: Bool = false, isNamed: Bool
    ) throws(InvalidBaseURL) -> Upstream {
        let address = Address(name: name, baseURL: baseURL, isElsewhere: isElsewhere, isNamed: isNamed)
        if let upstream = known.withLock({ $0.entries[address]?.upstream }) { return upstream }
        let upstream = try Upstream(
            name: name, baseURL: baseURL, isElsewhere: isElsewhere, isNamed: isNamed)
        return known.withLock { known in
            if let first = known.entries[address]?.upstream { return first }
            if known.entries.count >= known.limit {
                known.entries = known.entries.filter { $0.value.upstream != nil }
                known.limit = max(1024, 2 * known.entries.count)
            }
            known.entries[address] = Entry(upstream: upstream)
            return upstream
        }
    }
}

extension Upstream: CustomStringConvertible {
    public var description: String { name }
}
