import EndpointPlans
public import HTTPModel
import Networking

extension Gateway {
    /// The methods that `proxy` passes on. A proxy of GET passes HEAD as well.
    public static var proxiedMethods: [HTTPMethod] { [.get, .post, .put, .patch, .delete] }

    /// Passes the requests for a path on to an upstream, and its responses back: method, query, status and
    /// body as they are, and the fields that `fields` lists.
    ///
    ///     let images = gateway.proxyUpstream("images", baseURL: "http://images.internal:8080")
    ///     gateway.proxy("/images/{path...}", to: images, .deadline(.seconds(5)))
    ///
    /// Bodies are streamed both ways, each no faster than the other side takes it. They have no size limit
    /// but the endpoint's own `.bodyLimit`. The deadline runs until the response's head, without the time of
    /// an upload. From the head on only the limits on gaps and slow clients apply. A failure before the head
    /// is answered in the gateway's style; a later one resets the connection. Calls are repeated as the
    /// policy says, unless some of the body has been sent.
    ///
    /// - Parameters:
    ///   - path: as for any endpoint. With `{name...}` at its end, the upstream gets the rest of the
    ///     request's path.
    ///   - upstream: where the requests go.
    ///   - upstreamPath: the upstream's path, percent-encoded: the rest of the request's path follows it.
    ///     Default: the root of its base URL.
    ///   - methods: what passes. Any other is answered with 405.
    ///   - fields: the fields that pass.
    ///   - options: settings of the endpoints.
    public func proxy(
        _ path: String, to upstream: ProxyUpstream, at upstreamPath: String = "",
        methods: [HTTPMethod] = Gateway.proxiedMethods, fields: ProxyFields = .standard,
        _ options: EndpointOption...
    ) {
        proxy(path, to: upstream, at: upstreamPath, methods: methods, fields: fields, options: options)
    }

    /// Passes the requests for a path on, with options in a list.
    package func proxy(
        _ path: String, to upstream: ProxyUpstream, at upstreamPath: String, methods: [HTTPMethod],
        fields: ProxyFields, options: [EndpointOption]
    ) {
        let rule = ProxyRule(upstream.provider, at: upstreamPath, fields)
        declarations.add(passedFields: fields.added, by: scope.prefix + path)
        for fault in rule.faults { declarations.add(fault: "the proxy \(scope.prefix)\(path) \(fault)") }
        if let known = upstream.provider.configuredUpstream,
            let template = try? PathTemplate(scope.prefix + path),
            let paths = ProxyPaths(template, upstreamPrefix: rule.base)
        {
            declarations.add(
                ProxyPlace(upstream: known, paths: paths, passesGet: methods.contains(.get)))
        }
        for method in methods {
            add(method, path, [.streamsBodiesOfAnySize, .passes(fields)] + options, .sync(rule.answer))
        }
    }
}

/// What limits the bodies that pass through, besides the limits on gaps and rates.
enum ProxyLimits {
    /// Bytes of a request's body, unless an endpoint sets its own limit; nil for any number.
    static let requestBody: Int? = nil
}

extension EndpointOption {
    /// Streams bodies, which are limited only where a limit is set.
    fileprivate static var streamsBodiesOfAnySize: EndpointOption {
        EndpointOption { settings in
            settings.streamsBody = true
            if !settings.hasOwnBodyLimit { settings.bodyLimit = ProxyLimits.requestBody ?? .max }
        }
    }

    fileprivate static func passes(_ fields: ProxyFields) -> EndpointOption {
        EndpointOption { $0.passesCookie = fields.request.contains(.cookie) }
    }
}

/// Which request becomes which call.
private struct ProxyRule: Sendable {
    private let provider: Provider<PassedPath>
    /// Without a slash at its end, behind the path of the base URL.
    let base: [UInt8]
    private let fields: ProxyFields
    let faults: [String]

    init(_ provider: Provider<PassedPath>, at upstreamPath: String, _ fields: ProxyFields) {
        self.provider = provider
        self.fields = fields
        let path = Array(upstreamPath.utf8)
        base =
            (provider.configuredUpstream?.prefix ?? [])
            + (path.last == UInt8(ascii: "/") ? path.dropLast() : path)
        var faults: [String] = []
        if let fault = fields.fault { faults.append(fault) }
        if !path.isEmpty, !Self.isPath(upstreamPath) {
            faults.append("continues at \(upstreamPath), which is not a percent-encoded path")
        }
        self.faults = faults
    }

    private static func isPath(_ text: String) -> Bool {
        guard let target = RequestTarget(text), target.pathBytes.elementsEqual(text.utf8) else {
            return false
        }
        return (try? DecodedPath(target.pathBytes)) != nil
    }

    func answer(_ request: GatewayRequest) throws -> Answer {
        if request.isWebSocketUpgrade {
            throw GatewayError(.notImplemented, "WebSocket connections do not pass through this gateway")
        }
        let path = request.head.target.pathBytes
        let template = request.endpoint.template
        let rest = template.endsInRest ? path.path(fromSegment: template.segments.count) : nil
        if rest != nil { try Self.check(request.match.parameters[request.endpoint.parameterNames.count - 1]) }
        let query = request.head.target.queryBytes
        var target: [UInt8] = []
        target.reserveCapacity(base.count + (rest?.count ?? 0) + (query?.count ?? 0) + 2)
        target += base
        if rest != nil || target.isEmpty { target.append(UInt8(ascii: "/")) }
        if let rest { target += rest }
        if let query {
            target.append(UInt8(ascii: "?"))
            target += query
        }
        let paths = ProxyPaths(
            requestPrefix: path.dropLast(rest?.count ?? 0), upstreamPrefix: base, isFixed: rest == nil)
        return Answer(.relay(RelayedCall(provider.call(request.method, at: target), fields, paths: paths)))
    }

    /// Checks the rest of a path, decoded, which has no dot segments. Servers disagree about two more forms,
    /// so that a path could mean something else to the upstream than to the gateway and its middleware.
    private static func check(_ rest: ArraySlice<UInt8>) throws(GatewayError) {
        if rest.first == UInt8(ascii: "/") {
            throw .invalidRequest("The path must not have two slashes where the upstream's part begins")
        }
        // Java servers drop `;` and what follows it before they resolve dot segments.
        guard rest.contains(UInt8(ascii: ";")) else { return }
        for segment in rest.split(separator: UInt8(ascii: "/")) {
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            if name.count < segment.count, (1...2).contains(name.count),
                name.allSatisfy({ $0 == UInt8(ascii: ".") })
            {
                throw .invalidRequest("The path must not have a segment . or .., with parameters or without")
            }
        }
    }
}

extension GatewayRequest {
    /// Whether the client wants to leave HTTP, which no proxy of this gateway can follow. Other upgrades,
    /// such as to HTTP/2, are offers that may be ignored (RFC 9110 7.8).
    fileprivate var isWebSocketUpgrade: Bool {
        fields.contains(.upgrade)
            && fields.values(of: .upgrade).contains { $0.lowercased().contains("websocket") }
    }
}
