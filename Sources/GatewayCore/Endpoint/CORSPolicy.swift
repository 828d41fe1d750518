public import HTTPModel

/// Which scripts of other origins a browser lets call the gateway (Fetch standard, "CORS protocol").
///
///     Gateway(environment, cors: CORSPolicy(origins: .list(["https://app.example"]), headers: [.contentType]))
public struct CORSPolicy: Sendable {
    /// The origins that may call.
    public struct Origins: Sendable {
        enum Storage: Sendable {
            case any
            case list([String])
        }

        let storage: Storage

        /// Every origin, without credentials.
        public static let any = Origins(storage: .any)

        /// These: scheme, host and port as browsers write them, without a slash at the end.
        public static func list(_ origins: [String]) -> Origins { Origins(storage: .list(origins)) }
    }

    public var origins: Origins
    /// The methods that scripts may use, of those that a path has.
    public var methods: [HTTPMethod]
    /// The request fields that scripts may set beyond the few that browsers always allow.
    public var headers: [HTTPFieldName]
    /// The response fields that scripts may read beyond the few that browsers always allow.
    public var exposedHeaders: [HTTPFieldName]
    /// How long a browser may remember a preflight. Default 10 minutes.
    public var maxAge: Duration
    /// Whether scripts may send cookies and credentials. Needs a list of origins.
    public var allowsCredentials: Bool

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

    /// What makes the policy one that no browser would follow.
    var faults: [String] {
        switch origins.storage {
        case .any:
            return allowsCredentials ? ["CORS with credentials needs a list of origins"] : []
        case .list(let origins):
            return origins.filter { !Self.isOrigin($0) }.map {
                "the CORS origin \"\($0)\" is not written scheme://host[:port]"
            }
        }
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
    /// Whether an OPTIONS request is a browser asking before the real one.
    static func isPreflight(_ fields: HTTPFields) -> Bool {
        fields.contains(.origin) && fields.contains(.accessControlRequestMethod)
    }

    /// Adds what every answer but a preflight's carries.
    ///
    /// - Parameter request: the request's fields; nil where they could not be read.
    func addFields(to target: inout HTTPFields, for request: HTTPFields?) {
        guard addOrigin(to: &target, for: request) else { return }
        if !exposedHeaders.isEmpty {
            target.append(.accessControlExposeHeaders, Self.list(exposedHeaders))
        }
    }

    /// The fields that answer a preflight for a path with these methods.
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

    /// Names the origin if it may call, and returns whether it may.
    ///
    /// An answer whose `Access-Control-Allow-Origin` depends on the request's `Origin` has `Vary: Origin` for every
    /// request, also one without an origin: else a cache could hand it to a browser of another (Fetch, "CORS protocol
    /// and HTTP caches").
    private func addOrigin(to target: inout HTTPFields, for request: HTTPFields?) -> Bool {
        switch origins.storage {
        case .any:
            // For requests without an Origin too, so that the field is a constant and no cache needs Vary.
            target.append(.accessControlAllowOrigin, "*")
        case .list(let origins):
            target.append(.vary, "Origin")
            guard let origin = request?[.origin], origins.contains(origin) else { return false }
            target.append(.accessControlAllowOrigin, origin)
            if allowsCredentials { target.append(.accessControlAllowCredentials, "true") }
        }
        return true
    }

    private static func list(_ names: [HTTPFieldName]) -> String {
        names.map(\.description).joined(separator: ", ")
    }
}
