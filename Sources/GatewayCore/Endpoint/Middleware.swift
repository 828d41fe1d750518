/// Runs before the handler of an endpoint.
enum BeforeMiddleware: Sendable {
    case sync(@Sendable (GatewayRequest) throws -> Answer?)
    case async(@Sendable (GatewayRequest) async throws -> Answer?)
}

/// Runs once an answer is known, before its head is sent.
typealias AfterMiddleware = @Sendable (inout OutgoingAnswer) -> Void

// Middleware runs for all endpoints of the gateway or group, whether they are declared before or after it,
// and for requests that no endpoint takes.
extension Gateway {
    /// Runs `check` before the handlers of the gateway's or group's endpoints. It may throw, as a handler
    /// may, to refuse the request, and put values into the request for what comes after it:
    ///
    ///     gateway.before { request in
    ///         guard let key = request.header("X-API-Key"), let client = clients[key] else {
    ///             throw GatewayError.unauthorized("The API key is missing or unknown", challenge: "APIKey")
    ///         }
    ///         request[Client.self] = client
    ///     }
    ///
    /// Middleware runs in the order of its declaration, outer groups first, and within the endpoint's
    /// deadline. Requests that no endpoint takes (404, 405, OPTIONS) and requests for static files pass
    /// through middleware, too: the middleware of the path's endpoints, else of the group whose prefix the
    /// path begins with; of several groups, the one with the most specific prefix. Preflights, `/health/*`
    /// and requests that the server refuses (malformed, too large, too slow or too many) do not pass through
    /// it.
    ///
    /// - Parameter check: runs on the request's loop and must not block.
    public func before(_ check: @escaping @Sendable (GatewayRequest) throws -> Void) {
        scope.add(
            .sync { request in
                try check(request)
                return nil
            })
    }

    /// Runs `check` before the handlers, as the other `before` does, in a task that is cancelled when the
    /// client leaves or the deadline passes.
    public func before(_ check: @escaping @Sendable (GatewayRequest) async throws -> Void) {
        scope.add(
            .async { request in
                try await check(request)
                return nil
            })
    }

    /// Runs `step` before the handlers, as the other `before` does. If it returns an answer, that is the
    /// request's answer, and neither later middleware nor the handler runs.
    @_disfavoredOverload
    public func before(_ step: @escaping @Sendable (GatewayRequest) throws -> Answer?) {
        scope.add(.sync(step))
    }

    /// Runs `step` before the handlers, in a task, and answers with its answer unless that is nil.
    @_disfavoredOverload
    public func before(_ step: @escaping @Sendable (GatewayRequest) async throws -> Answer?) {
        scope.add(.async(step))
    }

    /// Runs `change` once the answer to a request is known, before its head is sent. It sees status, code and
    /// parts, and may add fields:
    ///
    ///     gateway.after { answer in answer.addField("Content-Security-Policy", "default-src 'none'") }
    ///
    /// It runs for the requests that `before` runs for, also for those that it refuses: the innermost group
    /// first, in the order of its declaration.
    ///
    /// - Parameter change: runs on the thread that has the answer, usually the request's loop, and must not
    ///   block.
    public func after(_ change: @escaping @Sendable (inout OutgoingAnswer) -> Void) {
        scope.add(change)
    }
}
