import HTTPModel
public import Rx

// One function for each method and each of the three kinds of handler, which `Gateway.on` documents. A closure that fits several
// kinds is of the first.
extension Gateway {
    /// Adds a GET endpoint, which answers HEAD too.
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.get, path, options, handler)
    }

    /// Adds a GET endpoint, which answers HEAD too.
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.get, path, options, handler)
    }

    /// Adds a GET endpoint, which answers HEAD too.
    @_disfavoredOverload
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.get, path, options, handler)
    }

    /// Adds a POST endpoint.
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.post, path, options, handler)
    }

    /// Adds a POST endpoint.
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.post, path, options, handler)
    }

    /// Adds a POST endpoint.
    @_disfavoredOverload
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.post, path, options, handler)
    }

    /// Adds a PUT endpoint.
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.put, path, options, handler)
    }

    /// Adds a PUT endpoint.
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.put, path, options, handler)
    }

    /// Adds a PUT endpoint.
    @_disfavoredOverload
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.put, path, options, handler)
    }

    /// Adds a PATCH endpoint.
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.patch, path, options, handler)
    }

    /// Adds a PATCH endpoint.
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.patch, path, options, handler)
    }

    /// Adds a PATCH endpoint.
    @_disfavoredOverload
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.patch, path, options, handler)
    }

    /// Adds a DELETE endpoint.
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.delete, path, options, handler)
    }

    /// Adds a DELETE endpoint.
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.delete, path, options, handler)
    }

    /// Adds a DELETE endpoint.
    @_disfavoredOverload
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.delete, path, options, handler)
    }
}
