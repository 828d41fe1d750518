import FoundationEssentials
import HTTPModel
import Networking
import Rx

/// Answers each call at once with the same bytes, so that the benchmark measures only the gateway and the
/// client.
final class InstantTransport: Transport {
    let scheduler: any SchedulerType = IdleScheduler()
    let response: TransportResponse

    init(body: String) {
        response = TransportResponse(
            status: .ok, fields: [.contentType: "application/json"], body: Array(body.utf8)[...])
    }

    func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        receiver.attemptSucceeded(response)
        return Disposables.create()
    }

    func beginRetry(to upstream: Upstream) -> RetryObstacle? { nil }

    func endRetry(to upstream: Upstream) {}
}

/// A clock whose timers never fire.
final class IdleScheduler: SchedulerType {
    var now: RxTime { Date() }

    func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        action(state)
    }

    func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        Disposables.create()
    }

    func setTimer(after dueTime: RxTimeInterval, target: any TimerTarget) -> TimerToken {
        TimerToken(index: 0, generation: 0)
    }

    func cancelTimer(_ token: TimerToken) {}
}
