import Networking
import Rx

extension GatewayRequest {
    /// Runs work that blocks its thread on another thread, and waits for its value.
    ///
    ///     gateway.get("/report") { request in
    ///         .json(try await request.blocking { try database.report() })
    ///     }
    ///
    /// Handlers, `async` ones too, run on the loop of their request, which serves thousands of others: a
    /// file, a database in a library or a long computation holds all of them up. A gateway has 16 threads for
    /// such work, and clients take turns at them by address.
    ///
    /// When the request ends, because of its deadline or because its client has left, the wait ends at once.
    /// Work that has not begun is dropped. Work that has begun cannot be stopped: it keeps its thread until
    /// it returns, and its value is dropped.
    ///
    /// - Parameter work: may block. It belongs to the request, as `request.log` and the context of calls
    ///   show.
    /// - Returns: what `work` returns.
    /// - Throws: what `work` throws; 503 `OVERLOADED` if 1024 others wait, or the client has more than its
    ///   share of them; `CancellationError` once the request has ended.
    public func blocking<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard let submit = endpoint.services.blockingWork else { return try work() }
        let context = CallContext.current
        return try await Single<Value>.create { observer in
            let waiting = WaitingWork {
                let result: Result<Value, any Error> = CallContext.$current.withValue(context) {
                    Result { try work() }
                }
                observer(result)
            }
            if !submit({ waiting.run() }) { observer(.failure(GatewayError.overloaded)) }
            return waiting
        }.value
    }
}
