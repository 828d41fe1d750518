public import HTTPModel
@_spi(Lines) import JSONBytes
import Locking
import Synchronization

/// One upstream API: its name and addresses, and a number by which transports find its state without
/// comparing strings.
public final class Upstream: Sendable {
    /// A small number, unique in the process and never reused, fit for an array index.
    public let id: Int
    /// The name in logs, metrics and messages, for example `diary`.
    public let name: String
    /// The first of `baseURLs`. Its path precedes the path of each call.
    public let baseURL: HTTPURL
    /// The addresses of the upstream, which serve the same API: 1 to 64, with the same scheme and path, each
    /// with its own host or port. A call goes to one of them.
    public let baseURLs: [HTTPURL]
    /// The Unix-domain socket that calls go to; nil for TCP. The host is then `localhost`.
    public let unixSocketPath: String?

    /// Whether a redirect led to this upstream.
    public let isRedirectTarget: Bool

    /// Whether the name was chosen for this upstream, so that settings by name (such as TLS) apply to it.
    /// False for names that may collide: a target's type, a label for logs, or the target of a redirect.
    public let isNamed: Bool

    /// Whether a target computed the base URL, or a redirect led there. Then the name may stand for any
    /// number of servers.
    package let isComputed: Bool

    /// Its key in the registry; nil if it is not there.
    private let registration: Key?

    /// The name as a JSON string, for logs.
    package let jsonName: [UInt8]

    /// The path of the base URL without a trailing slash: empty, or `/prefix`.
    package let prefix: [UInt8]

    /// Parses and checks the address: scheme, host and a path without `.` and `..`; no query.
    ///
    /// - Parameters:
    ///   - name: the name in logs, metrics and errors.
    ///   - text: `http://host:port/prefix`, `https://host:port/prefix`, or a Unix-domain socket:
    ///     `unix:/run/diary.sock`, `unix:/run/diary.sock:/prefix`.
    public convenience init(name: String, baseURL text: String) throws(InvalidBaseURL) {
        try self.init(name: name, baseURLs: [text])
    }

    /// Parses and checks several addresses that serve the same API.
    ///
    /// - Parameters:
    ///   - name: the name in logs, metrics and errors.
    ///   - texts: 1 to 64 base URLs with the same scheme and path, each with its own host or port. A
    ///     Unix-domain socket stands alone.
    public convenience init(name: String, baseURLs texts: [String]) throws(InvalidBaseURL) {
        try self.init(Key(name: name, baseURLs: texts, isNamed: true), isRegistered: false)
    }

    private init(_ key: Key, isRegistered: Bool) throws(InvalidBaseURL) {
        let name = key.name
        let addresses = try UpstreamAddress.parse(key.baseURLs, of: name)
        let first = addresses[0]
        unixSocketPath = first.unixSocketPath
        id = Upstream.count.wrappingAdd(1, ordering: .relaxed).oldValue
        self.name = name
        jsonName = JSONLine.array(capacity: name.utf8.count + 2) { $0.string(name) }
        isRedirectTarget = key.isRedirectTarget
        isNamed = key.isNamed
        isComputed = key.isComputed
        registration = isRegistered ? key : nil
        baseURL = first.url
        baseURLs = addresses.map(\.url)
        prefix = first.prefix
    }

    deinit {
        for tell in endings.withLock({ $0 }) { tell() }
        guard let registration else { return }
        Self.registry.withLock { entries in
            // Another upstream may have taken its place by now.
            if entries[registration]?.id == id { entries[registration] = nil }
        }
    }

    /// Whether the URL has the origin of one of the base URLs.
    func hasOrigin(of url: HTTPURL) -> Bool {
        baseURLs.contains { url.hasSameOrigin(as: $0) }
    }

    /// Whether the URL leads to the server of one of the base URLs (`HTTPURL.hasSameServer`), so that it may
    /// have what that one may have.
    func hasServer(of url: HTTPURL) -> Bool {
        baseURLs.contains { url.hasSameServer(as: $0) }
    }

    private static let count = Atomic(0)

    /// Called at the end.
    private let endings = Lock<[@Sendable () -> Void]>([])

    /// Calls `tell` once nobody can call the upstream any more, on the thread that gave up the last
    /// reference.
    package func whenUnused(_ tell: @escaping @Sendable () -> Void) {
        endings.withLock { $0.append(tell) }
    }

    /// Number of observers waiting for the next response; usually 0.
    private let watchers = Atomic(0)

    /// Whether an observer waits for the next response. Costs one relaxed load per response.
    @inline(__always)
    var isWatched: Bool { watchers.load(ordering: .relaxed) != 0 }

    /// Starts reporting this upstream's responses to the transports' observers, until `endWatch()`.
    package func beginWatch() { watchers.wrappingAdd(1, ordering: .relaxed) }

    package func endWatch() { watchers.wrappingSubtract(1, ordering: .relaxed) }
}

extension Upstream {
    private struct Key: Hashable, Sendable {
        let name: String
        let baseURLs: [String]
        var isRedirectTarget = false
        let isNamed: Bool
        var isComputed = false
    }

    private struct Entry: Sendable {
        let id: Int
        weak let upstream: Upstream?

        init(_ upstream: Upstream) {
            id = upstream.id
            self.upstream = upstream
        }
    }

    /// The shared upstreams in use. Each removes its entry at its end, so no reference may end under the
    /// lock.
    private static let registry = Lock<[Key: Entry]>([:])

    /// The number of shared upstreams in use.
    package static var registeredCount: Int { registry.withLock { $0.count } }

    /// Returns the upstream with this name and these addresses. Providers that use it at the same time share
    /// one object, and thereby the transport's state for it.
    static func shared(
        name: String, baseURLs: [String], isRedirectTarget: Bool = false, isNamed: Bool,
        isComputed: Bool = false
    ) throws(InvalidBaseURL) -> Upstream {
        let key = Key(
            name: name, baseURLs: baseURLs, isRedirectTarget: isRedirectTarget, isNamed: isNamed,
            isComputed: isComputed)
        if let upstream = registry.withLock({ $0[key]?.upstream }) { return upstream }
        let upstream = try Upstream(key, isRegistered: true)
        let shared = registry.withLock { entries in
            if let first = entries[key]?.upstream { return first }
            entries[key] = Entry(upstream)
            return upstream
        }
        return withExtendedLifetime(upstream) { shared }
    }
}

extension Upstream: CustomStringConvertible {
    /// The value as text, for logs and messages.
    public var description: String { name }
}
