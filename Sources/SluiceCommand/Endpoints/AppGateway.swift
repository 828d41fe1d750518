import GatewayCore
import HTTPModel
import Networking
import SampleUpstreams

/// The gateway on which the app's endpoints are declared.
///
/// In the demo, each endpoint forwards `Demo-Visitor` to its upstreams, so that they fail only for the
/// visitor who broke them. `sluice serve` forwards nothing.
struct AppGateway {
    private let gateway: Gateway
    private let hasVisitors: Bool

    init(_ gateway: Gateway, hasVisitors: Bool) {
        self.gateway = gateway
        self.hasVisitors = hasVisitors
    }

    func provider<Target: TargetType>(
        _ target: Target.Type, upstream: String, policy: CallPolicy = CallPolicy()
    ) -> Provider<Target> {
        gateway.provider(target, upstream: upstream, policy: policy)
    }

    typealias Handler = @Sendable (GatewayRequest) throws -> Answer

    func get(_ path: String, handler: @escaping Handler) { add(.get, path, [], handler) }

    func post(_ path: String, _ options: EndpointOption..., handler: @escaping Handler) {
        add(.post, path, options, handler)
    }

    func put(_ path: String, handler: @escaping Handler) { add(.put, path, [], handler) }

    func delete(_ path: String, handler: @escaping Handler) { add(.delete, path, [], handler) }

    /// Passes the requests below a path on to an upstream.
    func proxy(_ path: String, to upstream: String, baseURL: String) {
        let upstream = gateway.proxyUpstream(upstream, baseURL: baseURL)
        let fields = hasVisitors ? ProxyFields.standard.adding(request: SampleVisitor.field) : .standard
        gateway.proxy(path, to: upstream, methods: [.get], fields: fields)
    }

    private func add(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption], _ handler: @escaping Handler
    ) {
        guard hasVisitors else { return gateway.on(method, path, options, handler) }
        let checked: Handler = { request in
            _ = try request.visitor()
            return try handler(request)
        }
        gateway.on(method, path, options + [.forwards(SampleVisitor.field)], checked)
    }
}

extension GatewayRequest {
    /// The client's conditions of a change, `If-Match` and `If-None-Match` (RFC 9110, section 13.1).
    var conditions: HTTPFields {
        var conditions = HTTPFields()
        for name in [HTTPFieldName.ifMatch, .ifNoneMatch] {
            for value in head.fields.values(of: name) { conditions.append(name, value) }
        }
        return conditions
    }
}
