import Dispatch
import Networking
public import Rx

extension GatewayRequest {
    /// The scheduler of the request's loop, for operators that take one. Its clock is the test's in virtual
    /// time. Calls that begin after a wait on it belong to the request.
    ///
    ///     typing.debounce(.milliseconds(300), scheduler: request.scheduler)
    public var scheduler: any SchedulerType {
        guard let context = CallContext.current else { return loopScheduler }
        return RequestScheduler(loopScheduler, in: context)
    }

    /// Waits for `duration` on the request's loop without blocking it. In virtual time it waits exactly so
    /// long, and takes no real time.
    ///
    /// - Throws: `CancellationError` if the task is cancelled: the client has left, or the deadline has
    ///   passed.
    public func sleep(for duration: Duration) async throws {
        let interval = RxTimeInterval.nanoseconds(Int(max(duration.nanoseconds, 0)))
        _ = try await Single<Int>.timer(interval, scheduler: loopScheduler).value
    }
}

extension Gateway {
    /// The scheduler of the calling loop, for work that belongs to no request, such as a stream that several
    /// requests share; on any other thread, the scheduler of one of the loops. Its clock is the test's in
    /// virtual time. In a handler, use `GatewayRequest.scheduler`.
    public var scheduler: any SchedulerType { environment.transport.scheduler }
}
