import Dispatch
import Locking
import Rx

/// Runs a virtual clock until its test is over.
final class VirtualRun: Sendable {
    private struct State: Sendable {
        var isOver = false
        var lastID = 0
        /// What waits for virtual time, by number: how to fail it, and what it is.
        var waiting: [Int: (fail: @Sendable (any Error) -> Void, what: String)] = [:]
    }

    let clock: VirtualClock
    private let patience: Duration
    private let state = Lock(State())

    init(_ clock: VirtualClock, patience: Duration) {
        self.clock = clock
        self.patience = patience
    }

    /// Lets the clock run while something waits. Returns the number to pass to `ended`.
    ///
    /// - Parameters:
    ///   - what: what waits, for messages.
    ///   - fail: called if nothing will happen any more.
    func began(_ what: String, failing fail: @escaping @Sendable (any Error) -> Void) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.waiting[state.lastID] = (fail, what)
            return state.lastID
        }
    }

    func ended(_ number: Int) {
        let isIdle = state.withLock { state in
            state.waiting[number] = nil
            return state.waiting.isEmpty
        }
        if isIdle { clock.forgetTasks() }
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
            case .deadlines(let areLeft, let hasTasks):
                // Whatever the requests wait for happens on other threads.
                if clock.waitForWork(patience) { continue }
                if areLeft, !hasTasks { clock.advance() } else { stall() }
            }
        }
    }

    private func stall() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return state.waiting.sorted { $0.key < $1.key }.map(\.value)
        }
        let error = VirtualTimeStalled(waiting: waiting.map(\.what), patience: patience)
        for item in waiting { item.fail(error) }
        clock.forgetTasks()
    }
}

/// A request in virtual time waits for something that never happens there: a handler awaits work on another
/// thread that did not end within 5 s of real time, or nothing at all.
public struct VirtualTimeStalled: Error, CustomStringConvertible {
    /// The requests that wait: `GET /api/weights`.
    public let waiting: [String]
    let patience: Duration

    public var description: String {
        "no event is left in virtual time, and no other thread continued \(waiting.joined(separator: ", ")) "
            + "within \(patience) of real time. Use the gateway's providers and scheduler, or run the test on sockets"
    }
}
