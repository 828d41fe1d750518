import Dispatch
import GatewayCore
import Locking
import Networking
import Rx

/// Runs a virtual clock until its test is over.
final class VirtualRun: Sendable {
    /// Something that waits for virtual time.
    private struct Waiter: Sendable {
        /// `GET /api/weights?date=2026-11-20`, or a wait of the test.
        let what: String
        let request: RunningRequest?
        let fail: @Sendable (any Error) -> Void

        var description: String { VirtualTimeStalled.describe(what, request?.work) }
    }

    private struct State: Sendable {
        var isOver = false
        var lastID = 0
        var waiting: [Int: Waiter] = [:]
    }

    /// How long the test itself may stay away from its open streams, in real time.
    private static let testPatience = Duration.seconds(5)

    let clock: VirtualClock
    private let patience: Duration
    private let state = Lock(State())

    init(_ clock: VirtualClock, patience: Duration) {
        self.clock = clock
        self.patience = patience
        clock.onForeignWait { [weak self] wait in
            self?.fail(wait) {
                .otherClock($0, scheduler: wait.scheduler, .nanoseconds(wait.nanoseconds))
            }
        }
    }

    /// Lets the clock run while something waits. Returns the number to pass to `ended`.
    ///
    /// - Parameters:
    ///   - what: what waits, for messages.
    ///   - request: the request that waits, if it is one.
    ///   - fail: called if nothing will happen any more.
    func began(
        _ what: String, of request: RunningRequest? = nil,
        failing fail: @escaping @Sendable (any Error) -> Void
    ) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.waiting[state.lastID] = Waiter(what: what, request: request, fail: fail)
            return state.lastID
        }
    }

    func ended(_ number: Int) {
        // Released outside the lock: it may own the request.
        let waiter = state.withLock { $0.waiting.removeValue(forKey: number) }
        withExtendedLifetime(waiter) {}
        clock.wake()
    }

    /// Ends `run()` once no work is due.
    func end() {
        state.withLock { $0.isOver = true }
        clock.wake()
    }

    /// Runs due work and moves the clock until `end()`. Blocks its thread.
    func run() {
        while true {
            clock.runDue()
            let (isOver, isIdle) = state.withLock { ($0.isOver, $0.waiting.isEmpty) }
            if isOver { return }
            // Nobody waits for virtual time, so it stands still until the test continues.
            if isIdle {
                _ = clock.waitForWork()
                continue
            }
            switch clock.next {
            case .event: clock.advance()
            case .turns:
                guard !clock.waitForWork(patience) else { continue }
                for turn in clock.takeTurns() {
                    fail(turn) { .mainQueue($0, scheduler: turn.scheduler, patience) }
                }
            case .otherThreads(let deadlinesAreLeft):
                // Without a deadline, nothing waits but open streams, for the test to read them.
                let limit = deadlinesAreLeft ? patience : max(patience, Self.testPatience)
                if !clock.waitForWork(limit) { stall(after: limit) }
            }
        }
    }

    private func stall(after limit: Duration) {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        let error = VirtualTimeStalled(
            waiting: waiting.map(\.what), cause: .otherThreads(waiting.map(\.description), limit))
        for waiter in waiting { waiter.fail(error) }
    }

    /// Fails the request whose answer depends on another clock or queue.
    ///
    /// - Parameter cause: gets the request with its route and part.
    private func fail(_ wait: ForeignWait, _ cause: (String) -> VirtualTimeStalled.Cause) {
        guard let context = wait.context as? CallContext else { return }
        let waiters = state.withLock { $0.waiting.sorted { $0.key < $1.key }.map(\.value) }
        for waiter in waiters {
            guard let work = waiter.request?.work, work.requestID == context.requestID else { continue }
            let place = VirtualTimeStalled.describe(waiter.what, work.only(context.partNumber))
            return waiter.fail(VirtualTimeStalled(waiting: [waiter.what], cause: cause(place)))
        }
    }
}

/// A request in progress, once it has begun.
final class RunningRequest: Sendable {
    private let open = Lock<(@Sendable () -> OpenWork?)?>(nil)

    func began(_ request: any OngoingRequest) {
        open.withLock { $0 = { [weak request] in request?.openWork } }
    }

    /// What it waits for; nil if that is not known.
    var work: OpenWork? {
        let open = open.withLock { $0 }
        return open?()
    }
}
