import EventIO
import HTTPInbound
import Locking
import Rx

/// Counts of events for one line of the log. `none` means that nothing happened.
protocol LogCounts: Sendable, Equatable {
    static var none: Self { get }
    static func + (one: Self, other: Self) -> Self
}

/// Logs events that clients may cause at any rate: at most one line a second for all loops, with the counts
/// since the last line.
final class CountedLog<Counts: LogCounts>: Sendable {
    private let schedule = Lock(LogSchedule<Counts>())
    private let write: @Sendable (Counts) -> Void

    /// - Parameter write: writes a line.
    init(write: @escaping @Sendable (Counts) -> Void) {
        self.write = write
    }

    /// - Parameter loop: the current loop; nil on another thread, where the counts may wait for the next
    ///   event.
    func add(_ counts: Counts, on loop: EventLoop?) {
        let now = loop?.now ?? .clock()
        perform(schedule.withLock { $0.add(counts, at: now, canWait: loop != nil) }, on: loop)
    }

    /// Writes the counts that have no line yet, once the loops have ended.
    func writeRest() {
        if let counts = schedule.withLock({ $0.takeRest() }) { write(counts) }
    }

    private func perform(_ action: LogSchedule<Counts>.Action, on loop: EventLoop?) {
        switch action {
        case .nothing: break
        case .write(let counts): write(counts)
        case .wait(let time): _ = loop?.setTimer(at: time, target: self)
        }
    }
}

extension CountedLog: TimerTarget {
    func timerFired(_ token: TimerToken) {
        guard let loop = EventLoop.current else { return }
        perform(schedule.withLock { $0.timePassed(at: loop.now) }, on: loop)
    }
}

/// Decides when to write a line: at once, then at the earliest a second after the last one.
struct LogSchedule<Counts: LogCounts> {
    enum Action: Equatable {
        case nothing
        case write(Counts)
        /// Call `timePassed` at this time.
        case wait(until: MonotonicTime)
    }

    /// The minimum time between two lines.
    private let interval = TimeAmount.seconds(1)
    /// Since the last line.
    private var counts = Counts.none
    private var nextLine = MonotonicTime(nanoseconds: 0)
    private var isWaiting = false

    init() {}

    /// - Parameter canWait: whether the caller can call `timePassed` later.
    mutating func add(_ more: Counts, at now: MonotonicTime, canWait: Bool = true) -> Action {
        counts = counts + more
        guard !isWaiting, canWait || now >= nextLine else { return .nothing }
        return writeOrWait(now)
    }

    mutating func timePassed(at now: MonotonicTime) -> Action {
        isWaiting = false
        return writeOrWait(now)
    }

    /// Returns the counts that have no line yet, if any.
    mutating func takeRest() -> Counts? {
        guard counts != Counts.none else { return nil }
        defer { counts = Counts.none }
        return counts
    }

    private mutating func writeOrWait(_ now: MonotonicTime) -> Action {
        guard now >= nextLine else {
            isWaiting = true
            return .wait(until: nextLine)
        }
        guard let counts = takeRest() else { return .nothing }
        nextLine = now + interval
        return .write(counts)
    }
}
