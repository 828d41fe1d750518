import HTTPModel
public import Rx

// The methods by name, each for the three kinds of handler; `Gateway.on` says what they are. A closure that fits
// several, such as one that only throws, is the first kind.
extension Gateway {
    /// A GET endpoint; HEAD comes with it.
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.get, path, options, handler)
    }

    /// A GET endpoint; HEAD comes with it.
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.get, path, options, handler)
    }

    /// A GET endpoint; HEAD comes with it.
    @_disfavoredOverload
    public func get(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.get, path, options, handler)
    }

    /// A POST endpoint.
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.post, path, options, handler)
    }

    /// A POST endpoint.
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.post, path, options, handler)
    }

    /// A POST endpoint.
    @_disfavoredOverload
    public func post(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.post, path, options, handler)
    }

    /// A PUT endpoint.
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.put, path, options, handler)
    }

    /// A PUT endpoint.
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.put, path, options, handler)
    }

    /// A PUT endpoint.
    @_disfavoredOverload
    public func put(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.put, path, options, handler)
    }

    /// A PATCH endpoint.
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.patch, path, options, handler)
    }

    /// A PATCH endpoint.
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.patch, path, options, handler)
    }

    /// A PATCH endpoint.
    @_disfavoredOverload
    public func patch(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.patch, path, options, handler)
    }

    /// A DELETE endpoint.
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Answer
    ) {
        on(.delete, path, options, handler)
    }

    /// A DELETE endpoint.
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) {
        on(.delete, path, options, handler)
    }

    /// A DELETE endpoint.
    @_disfavoredOverload
    public func delete(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Answer>
    ) {
        on(.delete, path, options, handler)
    }
}
