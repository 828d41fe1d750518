import HTTPModel
public import Rx

// One function for each method and kind of handler; see `on`. A closure that fits several kinds is of the
// first one.
extension Gateway {
    /// Adds a GET endpoint, which answers HEAD too.
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.get, path, options, handler)
    }

    /// Adds a GET endpoint with an `async` handler. It answers HEAD too.
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.get, path, options, handler)
    }

    /// Adds a GET endpoint with a handler that returns a pipeline. It answers HEAD too.
    @_disfavoredOverload
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.get, path, options, handler)
    }

    /// Adds a GET endpoint with a handler that returns a stream, whose first answer counts. It answers HEAD
    /// too.
    @_disfavoredOverload
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Observable<Answer>
    ) {
        on(.get, path, options, handler)
    }

    /// Adds a POST endpoint, as `on` does.
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.post, path, options, handler)
    }

    /// Adds a POST endpoint with an `async` handler.
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.post, path, options, handler)
    }

    /// Adds a POST endpoint with a handler that returns a pipeline.
    @_disfavoredOverload
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.post, path, options, handler)
    }

    /// Adds a POST endpoint with a handler that returns a stream, whose first answer counts.
    @_disfavoredOverload
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Observable<Answer>
    ) {
        on(.post, path, options, handler)
    }

    /// Adds a PUT endpoint, as `on` does.
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.put, path, options, handler)
    }

    /// Adds a PUT endpoint with an `async` handler.
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.put, path, options, handler)
    }

    /// Adds a PUT endpoint with a handler that returns a pipeline.
    @_disfavoredOverload
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.put, path, options, handler)
    }

    /// Adds a PUT endpoint with a handler that returns a stream, whose first answer counts.
    @_disfavoredOverload
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Observable<Answer>
    ) {
        on(.put, path, options, handler)
    }

    /// Adds a PATCH endpoint, as `on` does.
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.patch, path, options, handler)
    }

    /// Adds a PATCH endpoint with an `async` handler.
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.patch, path, options, handler)
    }

    /// Adds a PATCH endpoint with a handler that returns a pipeline.
    @_disfavoredOverload
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.patch, path, options, handler)
    }

    /// Adds a PATCH endpoint with a handler that returns a stream, whose first answer counts.
    @_disfavoredOverload
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Observable<Answer>
    ) {
        on(.patch, path, options, handler)
    }

    /// Adds a DELETE endpoint, as `on` does.
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.delete, path, options, handler)
    }

    /// Adds a DELETE endpoint with an `async` handler.
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.delete, path, options, handler)
    }

    /// Adds a DELETE endpoint with a handler that returns a pipeline.
    @_disfavoredOverload
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.delete, path, options, handler)
    }

    /// Adds a DELETE endpoint with a handler that returns a stream, whose first answer counts.
    @_disfavoredOverload
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Observable<Answer>
    ) {
        on(.delete, path, options, handler)
    }
}
