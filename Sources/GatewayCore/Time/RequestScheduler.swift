import Networking
import Rx

/// The scheduler of a request's loop, whose work runs in the context of the code that asked for it. So calls
/// that begin after a wait belong to the request, too.
final class RequestScheduler: SchedulerType {
    private let loop: any SchedulerType
    private let context: CallContext

    init(_ loop: any SchedulerType, in context: CallContext) {
        self.loop = loop
        self.context = context
    }

    /// Returns the scheduler of the request that is being handled.
    ///
    /// - Parameter user: what needs it, for the message.
    /// - Throws: `EndpointFault` outside a request.
    static func current(for user: String) throws -> RequestScheduler {
        guard let context = CallContext.current, let loop = context.scheduler else {
            throw EndpointFault(
                "\(user) without a scheduler was subscribed to outside a request; pass gateway.scheduler")
        }
        return RequestScheduler(loop, in: context)
    }

    var now: RxTime { loop.now }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        loop.schedule(state) { [context] state in
            CallContext.$current.withValue(context) { action(state) }
        }
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        loop.scheduleRelative(state, dueTime: dueTime) { [context] state in
            CallContext.$current.withValue(context) { action(state) }
        }
    }

    func schedulePeriodic<StateType: Sendable>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        loop.schedulePeriodic(state, startAfter: startAfter, period: period) { [context] state in
            CallContext.$current.withValue(context) { action(state) }
        }
    }

    func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken {
        loop.setTimer(after: dueTime, target: ContextTimer(target, context))
    }

    func cancelTimer(_ token: TimerToken) { loop.cancelTimer(token) }

    private final class ContextTimer: TimerTarget {
        private let target: any TimerTarget
        private let context: CallContext

        init(_ target: any TimerTarget, _ context: CallContext) {
            self.target = target
            self.context = context
        }

        func timerFired(_ token: TimerToken) {
            CallContext.$current.withValue(context) { target.timerFired(token) }
        }
    }
}
