public import HTTPModel
public import Rx

// Handlers that return a value instead of an answer. Disfavored, so that a closure that can return an answer
// does.
extension Gateway {
    /// Adds an endpoint with a handler that returns the answer's `data`: a model, a number, a text, or an
    /// array or a dictionary of them. Members keep the order of the type, and members of dictionaries are
    /// sorted by name. `nil` becomes `null`. A value that cannot be encoded is answered as `500 INTERNAL`.
    @_disfavoredOverload
    public func on<Value: Encodable & Sendable>(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Value
    ) {
        add(method, path, options, .sync { Answer.json(try handler($0)) })
    }

    /// Adds an endpoint with an `async` handler that returns the answer's `data`.
    @_disfavoredOverload
    public func on<Value: Encodable & Sendable>(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) async throws -> Value
    ) {
        add(method, path, options, .async { Answer.json(try await handler($0)) })
    }

    /// Adds an endpoint with a handler that returns a pipeline, whose value is the answer's `data`.
    @_disfavoredOverload
    public func on<Value: Encodable & Sendable>(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Single<Value>
    ) {
        add(method, path, options, .single { try handler($0).map { Answer.json($0) } })
    }

    /// Adds an endpoint with a handler that returns a stream, whose first value is the answer's `data`. Then
    /// the stream is disposed.
    @_disfavoredOverload
    public func on<Value: Encodable & Sendable>(
        _ method: HTTPMethod, _ path: String, _ options: [EndpointOption] = [],
        _ handler: @escaping @Sendable (GatewayRequest) throws -> Observable<Value>
    ) {
        add(method, path, options, .single { try handler($0).map { Answer.json($0) }.take(1).asSingle() })
    }
}

extension MethodEndpoints {
    /// Adds an endpoint with a handler that returns the answer's `data`:
    ///
    ///     gateway.get("/version") { _ in Version(major: 2, minor: 1) }
    @_disfavoredOverload
    public func callAsFunction<Value: Encodable & Sendable>(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Value
    ) {
        gateway.on(method, path, options, handler)
    }

    /// Adds an endpoint with an `async` handler that returns the answer's `data`.
    @_disfavoredOverload
    public func callAsFunction<Value: Encodable & Sendable>(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) async throws -> Value
    ) {
        gateway.on(method, path, options, handler)
    }

    /// Adds an endpoint with a handler that returns a pipeline, whose value is the answer's `data`.
    @_disfavoredOverload
    public func callAsFunction<Value: Encodable & Sendable>(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Single<Value>
    ) {
        gateway.on(method, path, options, handler)
    }

    /// Adds an endpoint with a handler that returns a stream, whose first value is the answer's `data`.
    @_disfavoredOverload
    public func callAsFunction<Value: Encodable & Sendable>(
        _ path: String, _ options: EndpointOption...,
        handler: @escaping @Sendable (GatewayRequest) throws -> Observable<Value>
    ) {
        gateway.on(method, path, options, handler)
    }
}
