public import HTTPModel
@_spi(Lines) import JSONBytes
import Locking
import Synchronization

/// One upstream API: its name and address, and a number by which transports find its state without comparing strings.
public final class Upstream: Sendable {
    /// A small number, unique in the process and never reused, fit for an array index.
    public let id: Int
    /// The name in logs, metrics and messages, for example `diary`.
    public let name: String
    /// The address of the upstream. Its path precedes the path of each call.
    public let baseURL: HTTPURL
    /// The Unix-domain socket that calls go to; nil for TCP. The host is then `localhost`.
    public let unixSocketPath: String?

    /// Whether a redirect led to this upstream.
    public let isRedirectTarget: Bool

    /// Whether the name was chosen for this upstream, so that settings by name (such as TLS) apply to it. False for
    /// names that may collide: a target's type, a label for logs, or the target of a redirect.
    public let isNamed: Bool

    /// The name as a JSON string, for logs.
    package let jsonName: [UInt8]

    /// The path of the base URL without a trailing slash: empty, or `/prefix`.
    let prefix: [UInt8]

    /// Parses and checks the address: scheme, host and a path without `.` and `..`; no query.
    ///
    /// - Parameters:
    ///   - name: the name in logs, metrics and errors.
    ///   - text: `http://host:port/prefix`, `https://host:port/prefix`, or a Unix-domain socket:
    ///     `unix:/run/diary.sock`, `unix:/run/diary.sock:/prefix`.
    public convenience init(name: String, baseURL text: String) throws(InvalidBaseURL) {
        try self.init(name: name, baseURL: text, isRedirectTarget: false, isNamed: true)
    }

    private init(
        name: String, baseURL text: String, isRedirectTarget: Bool, isNamed: Bool
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
            throw invalid("the path of a socket has 2 to 107 bytes")
        }
        guard url.query == nil else { throw invalid("a base URL has no query") }
        var path = url.path.utf8[...]
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        let prefix = Array(path)
        if let fault = prefix.withUnsafeBytes({ TargetRules.fault(inPath: $0) }), !prefix.isEmpty {
            throw invalid(fault)
        }
        // A call's path may contain an empty segment, but in a configured URL it is a mistake.
        guard !String(decoding: prefix, as: UTF8.self).contains("//") else {
            throw invalid("the path has an empty segment")
        }
        id = Upstream.count.wrappingAdd(1, ordering: .relaxed).oldValue
        self.name = name
        jsonName = JSONLine.array(capacity: name.utf8.count + 2) { $0.string(name) }
        self.isRedirectTarget = isRedirectTarget
        self.isNamed = isNamed
        baseURL = url
        self.prefix = prefix
    }

    /// Splits at the first colon into socket path and prefix.
    private static func unixSocket(_ text: String) -> (path: String, prefix: String)? {
        guard text.hasPrefix("unix:/") else { return nil }
        let rest = text.dropFirst("unix:".count)
        guard let colon = rest.firstIndex(of: ":") else { return (String(rest), "") }
        return (String(rest[..<colon]), String(rest[rest.index(after: colon)...]))
    }

    private static let count = Atomic(0)

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
    private struct Address: Hashable {
        let name: String
        let baseURL: String
        let isRedirectTarget: Bool
        let isNamed: Bool
    }

    private struct Entry: Sendable {
        weak let upstream: Upstream?
    }

    private struct Registry: Sendable {
        var entries: [Address: Entry] = [:]
        /// Number of entries at which stale ones are removed.
        var limit = 1024
    }

    private static let registry = Lock(Registry())

    /// Returns the upstream with this name and address. Providers that use it at the same time share one object, and
    /// thereby the transport's state for it.
    static func shared(
        name: String, baseURL: String, isRedirectTarget: Bool = false, isNamed: Bool
    ) throws(InvalidBaseURL) -> Upstream {
        let address = Address(
            name: name, baseURL: baseURL, isRedirectTarget: isRedirectTarget, isNamed: isNamed)
        if let upstream = registry.withLock({ $0.entries[address]?.upstream }) { return upstream }
        let upstream = try Upstream(
            name: name, baseURL: baseURL, isRedirectTarget: isRedirectTarget, isNamed: isNamed)
        return registry.withLock { registry in
            if let first = registry.entries[address]?.upstream { return first }
            if registry.entries.count >= registry.limit {
                registry.entries = registry.entries.filter { $0.value.upstream != nil }
                registry.limit = max(1024, 2 * registry.entries.count)
            }
            registry.entries[address] = Entry(upstream: upstream)
            return upstream
        }
    }
}

extension Upstream: CustomStringConvertible {
    public var description: String { name }
}
