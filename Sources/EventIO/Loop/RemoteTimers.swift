import Locking
import Timers

/// Timers that other threads set on a loop, which soon sets each in its wheel. The top bit of their index is
/// set.
final class RemoteTimers: Sendable {
    private struct State {
        var live: [TimerToken: RemoteTimer] = [:]
        var next = TimerToken(index: RemoteTimers.remoteBit, generation: 0)
    }

    private static let remoteBit: UInt32 = 1 << 31
    private let state = Lock(State())

    static func owns(_ token: TimerToken) -> Bool {
        token.index & remoteBit != 0
    }

    func set(at deadline: MonotonicTime, _ target: any TimerTarget, on loop: EventLoop) -> TimerToken {
        let timer = RemoteTimer(target)
        let token = state.withLock { state in
            let token = state.next
            state.next.generation &+= 1
            if state.next.generation == 0 { state.next.index = Self.remoteBit | (state.next.index &+ 1) }
            state.live[token] = timer
            return token
        }
        loop.execute { [self] in
            // It may have been cancelled meanwhile.
            guard state.withLock({ $0.live[token] != nil }) else { return }
            timer.begin(token, at: deadline, on: loop, from: self)
        }
        return token
    }

    /// Removes the timer; nil if it was taken before. The caller that gets it fires or cancels it.
    fileprivate func take(_ token: TimerToken) -> RemoteTimer? {
        state.withLock { $0.live.removeValue(forKey: token) }
    }

    func cancel(_ token: TimerToken, on loop: EventLoop) {
        guard let timer = take(token) else { return }
        loop.onLoop { timer.end(on: loop) }
    }
}

/// `@unchecked Sendable`: used on the loop only, after `init`.
private final class RemoteTimer: TimerTarget, @unchecked Sendable {
    private let target: any TimerTarget
    private var token: TimerToken?
    private var local: TimerToken?
    private var timers: RemoteTimers?

    init(_ target: any TimerTarget) {
        self.target = target
    }

    func begin(_ token: TimerToken, at deadline: MonotonicTime, on loop: EventLoop, from timers: RemoteTimers)
    {
        self.token = token
        self.timers = timers
        local = loop.setTimer(at: deadline, target: self)
    }

    func end(on loop: EventLoop) {
        if let local { loop.cancelTimer(local) }
        local = nil
    }

    func timerFired(_: TimerToken) {
        local = nil
        if let token, timers?.take(token) != nil { target.timerFired(token) }
    }
}
