public import HTTPModel

/// The scripts of other origins that may call the gateway (Fetch standard, "CORS protocol").
///
///     let cors = CORSPolicy(origins: .list(["https://app.example"]), headers: [.contentType])
///     Gateway(environment, cors: cors)
public struct CORSPolicy: Sendable {
    /// The origins whose scripts may call: any, the origins of the gateway's own host, or a list.
    public struct Origins: Sendable {
        enum Storage: Sendable {
            case any
            case sameHost
            case list([String])
        }

        let storage: Storage

        /// Every origin, without credentials.
        public static let any = Origins(storage: .any)

        /// The origins whose host the request names in `Host`, with any scheme and port: pages that another
        /// server of the same machine serves, such as a development server.
        public static let sameHost = Origins(storage: .sameHost)

        package var isAny: Bool {
            if case .any = storage { true } else { false }
        }

        /// For people: the listed ones, `any` or `the host of the request`.
        package var texts: [String] {
            switch storage {
            case .any: ["any"]
            case .sameHost: ["the host of the request"]
            case .list(let origins): origins
            }
        }

        /// These origins: scheme, host and port as browsers write them, without a trailing slash.
        public static func list(_ origins: [String]) -> Origins { Origins(storage: .list(origins)) }
    }

    /// The origins whose pages may read answers.
    public var origins: Origins
    /// The methods that scripts may use on paths that have them.
    public var methods: [HTTPMethod]
    /// The request fields that scripts may set, besides the few that browsers always allow.
    public var headers: [HTTPFieldName]
    /// The response fields that scripts may read, besides the few that browsers always allow.
    public var exposedHeaders: [HTTPFieldName]
    /// How long a browser may cache a preflight. Default 10 minutes.
    public var maxAge: Duration
    /// Whether scripts may send cookies and other credentials. Requires a list of origins.
    public var allowsCredentials: Bool

    /// Creates a policy. `responder()` throws if it allows credentials from any origin.
    public init(
        origins: Origins,
        methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete],
        headers: [HTTPFieldName] = [.contentType],
        exposedHeaders: [HTTPFieldName] = [.xRequestID],
        maxAge: Duration = .seconds(600),
        allowsCredentials: Bool = false
    ) {
        self.origins = origins
        self.methods = methods
        self.headers = headers
        self.exposedHeaders = exposedHeaders
        self.maxAge = maxAge
        self.allowsCredentials = allowsCredentials
    }

    /// The reasons why no browser would follow the policy.
    var faults: [String] {
        switch origins.storage {
        case .any:
            return allowsCredentials ? ["CORS with credentials requires a list of origins"] : []
        case .sameHost: return []
        case .list(let origins):
            return origins.compactMap(Self.fault(of:))
        }
    }

    /// Returns why no browser sends this origin; nil if one may.
    package static func fault(of origin: String) -> String? {
        isOrigin(origin) ? nil : "the CORS origin \"\(origin)\" is not of the form scheme://host[:port]"
    }

    private static func isOrigin(_ text: String) -> Bool {
        if text == "null" { return true }
        guard let mark = text.firstRange(of: "://") else { return false }
        let host = text[mark.upperBound...]
        return mark.lowerBound != text.startIndex && !host.isEmpty
            && !host.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "*") }
    }
}

extension CORSPolicy {
    static func isPreflight(_ fields: HTTPFields) -> Bool {
        fields.contains(.origin) && fields.contains(.accessControlRequestMethod)
    }

    /// The fields that a policy sets (Fetch, "HTTP responses").
    package static let fields: [HTTPFieldName] = [
        .accessControlAllowCredentials, .accessControlAllowHeaders, .accessControlAllowMethods,
        .accessControlAllowOrigin, .accessControlExposeHeaders, .accessControlMaxAge,
    ]

    /// Adds the CORS fields of an ordinary answer. `request` is nil if the request's fields could not be
    /// read.
    func addFields(to target: inout HTTPFields, for request: HTTPFields?) {
        // Browsers refuse a CORS field that is sent twice, so the fields of endpoints and upstreams are
        // removed.
        for name in Self.fields { target.remove(name) }
        guard addOrigin(to: &target, for: request) else { return }
        if !exposedHeaders.isEmpty {
            target.append(.accessControlExposeHeaders, Self.list(exposedHeaders))
        }
    }

    /// Returns the CORS fields that answer a preflight for a path with these methods.
    func preflightFields(for request: HTTPFields, methods allowed: [HTTPMethod]) -> HTTPFields {
        var fields = HTTPFields()
        guard addOrigin(to: &fields, for: request) else { return fields }
        fields.append(.vary, "Access-Control-Request-Method, Access-Control-Request-Headers")
        let names = methods.filter(allowed.contains).map(\.rawValue)
        fields.append(.accessControlAllowMethods, names.joined(separator: ", "))
        if !headers.isEmpty { fields.append(.accessControlAllowHeaders, Self.list(headers)) }
        fields.append(.accessControlMaxAge, "\(maxAge.components.seconds)")
        return fields
    }

    /// Adds the origin if it is allowed, and returns whether it is. If `Access-Control-Allow-Origin` depends
    /// on the request, every answer has `Vary: Origin`, even without an `Origin` in the request: otherwise a
    /// cache could reuse the answer for another origin (Fetch, "CORS protocol and HTTP caches").
    private func addOrigin(to target: inout HTTPFields, for request: HTTPFields?) -> Bool {
        switch origins.storage {
        case .any:
            // Sent for every request: a constant field needs no Vary.
            target.append(.accessControlAllowOrigin, "*")
        case .sameHost, .list:
            target.append(.vary, "Origin")
            guard let request, let origin = request[.origin], allows(origin, of: request) else {
                return false
            }
            target.append(.accessControlAllowOrigin, origin)
            if allowsCredentials { target.append(.accessControlAllowCredentials, "true") }
        }
        return true
    }

    /// Whether scripts of this origin may read the answer to the request.
    func allows(_ origin: String, of request: HTTPFields) -> Bool {
        switch origins.storage {
        case .any: return true
        case .list(let origins): return origins.contains(origin)
        case .sameHost:
            guard let scheme = ["http://", "https://"].first(where: origin.hasPrefix) else { return false }
            guard let own = request.firstValueBytes(.host).flatMap(Self.host) else { return false }
            return Self.host(Array(origin.utf8)[scheme.utf8.count...]) == own
        }
    }

    /// Returns the host of an authority in lower case; nil if it is invalid.
    private static func host(_ authority: ArraySlice<UInt8>) -> String? {
        guard let end = authority.withUnsafeBytes({ Authority.hostEnd(in: $0) }) else { return nil }
        return String(decoding: authority.prefix(end), as: UTF8.self).lowercased()
    }

    private static func list(_ names: [HTTPFieldName]) -> String {
        names.map(\.description).joined(separator: ", ")
    }
}
