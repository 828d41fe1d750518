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

    /// Adds a GET endpoint with an `async` handler. It answers HEAD too.
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.get, path, options, handler)
    }

    /// Adds a GET endpoint with a handler that returns a pipeline. It answers HEAD too.
    @_disfavoredOverload
    public func get<Stream: ObservableConvertibleType>(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Stream
    ) where Stream.Element == Answer {
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
    public func post<Stream: ObservableConvertibleType>(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Stream
    ) where Stream.Element == Answer {
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
    public func put<Stream: ObservableConvertibleType>(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Stream
    ) where Stream.Element == Answer {
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
    public func patch<Stream: ObservableConvertibleType>(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Stream
    ) where Stream.Element == Answer {
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
    public func delete<Stream: ObservableConvertibleType>(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Stream
    ) where Stream.Element == Answer {
        on(.delete, path, options, handler)
    }
}
