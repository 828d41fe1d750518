import EventIO
import HTTPInbound
import Locking
import Rx

/// Logs what happens to clients at the connection limit: at most one line a second for all loops, with the counts since
/// the last line.
final class ConnectionLimitLog: Sendable {
    private let log: Log
    private let limit: Int
    private let schedule = Lock(ShedLogSchedule())

    init(_ log: Log, limit: Int) {
        self.log = log
        self.limit = limit
    }

    /// Call it on `loop`.
    func add(_ counts: ShedCounts, on loop: EventLoop) {
        perform(schedule.withLock { $0.add(counts, at: loop.now) }, on: loop)
    }

    /// Writes the counts that have no line yet, once the loops have ended.
    func writeRest() {
        if let counts = schedule.withLock({ $0.takeRest() }) { write(counts) }
    }

    private func perform(_ action: ShedLogSchedule.Action, on loop: EventLoop) {
        switch action {
        case .nothing: break
        case .write(let counts): write(counts)
        case .wait(let time): _ = loop.setTimer(at: time, target: self)
        }
    }

    private func write(_ counts: ShedCounts) {
        log.write(
            .warning, "connection limit reached",
            [
                "limit": "\(limit)", "idleClosed": "\(counts.idle)",
                "slowHeadsClosed": "\(counts.slowHeads)", "refused": "\(counts.refused)",
            ])
    }
}

extension ConnectionLimitLog: TimerTarget {
    func timerFired(_ token: TimerToken) {
        guard let loop = EventLoop.current else { return }
        perform(schedule.withLock { $0.timePassed(at: loop.now) }, on: loop)
    }
}

/// Decides when to write a line: at once, then at the earliest a second after the last one.
struct ShedLogSchedule {
    /// The minimum time between two lines.
    static let interval = TimeAmount.seconds(1)

    enum Action: Equatable {
        case nothing
        case write(ShedCounts)
        /// Call `timePassed` at this time.
        case wait(until: MonotonicTime)
    }

    /// Since the last line.
    private var counts = ShedCounts()
    private var nextLine = MonotonicTime(nanoseconds: 0)
    private var isWaiting = false

    mutating func add(_ more: ShedCounts, at now: MonotonicTime) -> Action {
        counts = counts + more
        guard !isWaiting else { return .nothing }
        return writeOrWait(now)
    }

    mutating func timePassed(at now: MonotonicTime) -> Action {
        isWaiting = false
        return writeOrWait(now)
    }

    /// Returns the counts that have no line yet; nil if there are none.
    mutating func takeRest() -> ShedCounts? {
        guard counts != ShedCounts() else { return nil }
        defer { counts = ShedCounts() }
        return counts
    }

    private mutating func writeOrWait(_ now: MonotonicTime) -> Action {
        guard now >= nextLine else {
            isWaiting = true
            return .wait(until: nextLine)
        }
        guard let counts = takeRest() else { return .nothing }
        nextLine = now + Self.interval
        return .write(counts)
    }
}
