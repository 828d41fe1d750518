import EventIO
import Resilience
import Timers

/// A command that waits for its reply. It stays in its place after its time is over, so that a late reply
/// meets it and no other command.
final class StoreCommand: TimerTarget {
    typealias Deliver = (Result<[LimitDecision], StoreFailure>) -> Void

    let limits: [StoreLimit]
    /// Whether it decides about the breaker.
    let isProbe: Bool
    /// Whether it waits less long than the store may take, so that its end says nothing about the store.
    let isShortened: Bool
    /// Whether it sends the script itself, because the server did not know its name.
    var sendsScript = false
    /// Retains the connection until the command has left it.
    private let connection: StoreConnection
    private var timer: TimerToken?
    private var deliver: Deliver?

    init(
        _ limits: [StoreLimit], isProbe: Bool, isShortened: Bool, on connection: StoreConnection,
        deliver: @escaping Deliver
    ) {
        self.limits = limits
        self.isProbe = isProbe
        self.isShortened = isShortened
        self.connection = connection
        self.deliver = deliver
    }

    /// Whether the result was delivered.
    var hasEnded: Bool { deliver == nil }

    func start(on loop: EventLoop, deadline: MonotonicTime) {
        timer = loop.setTimer(at: deadline, target: self)
    }

    /// Returns to whom the result goes, once.
    func end(on loop: EventLoop) -> Deliver? {
        if let timer = timer.take() { loop.cancelTimer(timer) }
        return deliver.take()
    }

    func timerFired(_ token: TimerToken) {
        timer = nil
        connection.timedOut(self)
    }
}
