import HTTPModel
public import Rx

// One function for each method and kind of handler; see `on`. A closure that fits several kinds is of the first one.
extension Gateway {
    /// Adds a GET endpoint, which answers HEAD too.
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.get, path, options, handler)
    }

    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.get, path, options, handler)
    }

    @_disfavoredOverload
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.get, path, options, handler)
    }

    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.post, path, options, handler)
    }

    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.post, path, options, handler)
    }

    @_disfavoredOverload
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.post, path, options, handler)
    }

    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.put, path, options, handler)
    }

    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.put, path, options, handler)
    }

    @_disfavoredOverload
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.put, path, options, handler)
    }

    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.patch, path, options, handler)
    }

    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.patch, path, options, handler)
    }

    @_disfavoredOverload
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.patch, path, options, handler)
    }

    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.delete, path, options, handler)
    }

    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.delete, path, options, handler)
    }

    @_disfavoredOverload
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.delete, path, options, handler)
    }
}
