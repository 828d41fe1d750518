import HTTPModel
public import Rx

extension Gateway {
    /// Adds a GET endpoint, which answers HEAD too: `gateway.get("/api/weights") { request in ... }`.
    public var get: MethodEndpoints { MethodEndpoints(gateway: self, method: .get) }

    /// Adds a POST endpoint.
    public var post: MethodEndpoints { MethodEndpoints(gateway: self, method: .post) }

    /// Adds a PUT endpoint.
    public var put: MethodEndpoints { MethodEndpoints(gateway: self, method: .put) }

    /// Adds a PATCH endpoint.
    public var patch: MethodEndpoints { MethodEndpoints(gateway: self, method: .patch) }

    /// Adds a DELETE endpoint.
    public var delete: MethodEndpoints { MethodEndpoints(gateway: self, method: .delete) }
}

/// Adds endpoints of one method, as `Gateway.on` does. One function for each kind of handler: a closure that
/// fits several kinds is of the first one.
public struct MethodEndpoints: Sendable {
    let gateway: Gateway
    let method: HTTPMethod

    /// Adds an endpoint.
    public func callAsFunction(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        gateway.on(method, path, options, handler)
    }

    /// Adds an endpoint with an `async` handler.
    public func callAsFunction(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        gateway.on(method, path, options, handler)
    }

    /// Adds an endpoint with a handler that returns a pipeline.
    @_disfavoredOverload
    public func callAsFunction(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        gateway.on(method, path, options, handler)
    }

    /// Adds an endpoint with a handler that returns a stream, whose first answer counts.
    @_disfavoredOverload
    public func callAsFunction(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Observable<Answer>
    ) {
        gateway.on(method, path, options, handler)
    }
}
