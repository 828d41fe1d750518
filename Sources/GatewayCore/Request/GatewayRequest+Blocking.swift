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
        try await runBlocking(work, on: endpoint.services.blockingWork)
    }
}

extension Gateway {
    /// Runs work that blocks its thread on another thread, and waits for its value, for code that belongs to
    /// no request: the closures of shared values run on a loop, too.
    ///
    ///     let stock = gateway.shared("stock", for: .seconds(60)) {
    ///         try await gateway.blocking { try database.stock() }
    ///     }
    ///
    /// It shares the threads of `GatewayRequest.blocking(_:)`, which is for handlers. Hooks and jobs have
    /// threads of their own and need neither.
    ///
    /// When the task is cancelled, such as a load that takes too long, the wait ends at once. Work that has
    /// begun keeps its thread until it returns.
    ///
    /// - Parameter work: may block. It belongs to no request.
    /// - Returns: what `work` returns.
    /// - Throws: what `work` throws; 503 `OVERLOADED` if too much waits; `CancellationError` once the task is
    ///   cancelled.
    public func blocking<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await CallContext.detached { try await runBlocking(work, on: environment.blockingWork) }
    }
}

/// Waits for work on another thread, in the context of the caller. Without other threads, as in virtual time,
/// it is done at once.
private func runBlocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value, on threads: (@Sendable (_ work: WaitingWork) -> Bool)?
) async throws -> Value {
    guard let threads else { return try work() }
    let context = CallContext.current
    return try await Single<Value>.create { observer in
        let waiting = WaitingWork {
            let result: Result<Value, any Error> = CallContext.$current.withValue(context) {
                Result { try work() }
            }
            observer(result)
        }
        if !threads(waiting) { observer(.failure(GatewayError.overloaded)) }
        return waiting
    }.value
}
