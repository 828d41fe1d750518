public import Dispatch
public import FoundationEssentials
import Locking
public import Rx

/// Converts between virtual time and scheduler time.
public protocol VirtualTimeConverterType: Sendable {
    associatedtype VirtualTimeUnit: Sendable
    associatedtype VirtualTimeIntervalUnit: Sendable

    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit)
        -> TimeInterval
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit)
        -> VirtualTimeUnit
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison

    /// Converts an interval. The default goes through `convertToVirtualTimeInterval(_:)` and may round.
    func convert(_ interval: RxTimeInterval) -> VirtualTimeIntervalUnit
}

extension VirtualTimeConverterType {
    /// Converts the interval by its seconds.
    public func convert(_ interval: RxTimeInterval) -> VirtualTimeIntervalUnit {
        convertToVirtualTimeInterval(interval.seconds)
    }
}

extension VirtualTimeConverterType where VirtualTimeUnit: Comparable {
    /// Compares by `<`.
    public func compareVirtualTime(
        _ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit
    ) -> VirtualTimeComparison {
        lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
    }
}

/// Virtual time that is counted from 1970.
extension VirtualTimeConverterType where VirtualTimeUnit == VirtualTimeIntervalUnit {
    /// Converts the time by its seconds since 1970.
    public func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime {
        Date(timeIntervalSince1970: convertFromVirtualTimeInterval(virtualTime))
    }

    /// Converts the date by its seconds since 1970.
    public func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit {
        convertToVirtualTimeInterval(time.timeIntervalSince1970)
    }
}

extension Int {
    /// Rounds a number of ticks. Numbers beyond 2^62, which no test reaches, are clamped.
    package init(ticks: Double) {
        self = ticks < 0x1p62 ? Int(Swift.max(ticks, -0x1p62).rounded()) : 1 << 62
    }
}

/// The order of two points in virtual time.
public enum VirtualTimeComparison: Sendable {
    case lessThan
    case equal
    case greaterThan
}

extension VirtualTimeScheduler: PerEventScheduler {}

/// A scheduler for tests. Its clock moves only when told to. Work runs on the thread that moves the clock, in
/// order of its time or, at equal times, in the order it was scheduled. Any thread may schedule and dispose
/// work, but only one thread may move the clock.
// Sound: it adds only constants, locks and atomics.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType,
    @unchecked Sendable
{
    /// A time of the scheduler.
    public typealias VirtualTime = Converter.VirtualTimeUnit
    /// An interval of the scheduler.
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private struct State {
        var clock: VirtualTime
        var isRunning = false
    }

    private let converter: Converter
    private let state: Lock<State>
    private let work: VirtualWork<Converter>

    /// Creates a scheduler with its clock at `initialClock`, which converts times with `converter`.
    public init(initialClock: VirtualTime, converter: Converter) {
        self.converter = converter
        state = Lock(State(clock: initialClock))
        work = VirtualWork(converter)
    }

    deinit {
        work.clear()
    }

    /// The current virtual time.
    public final var clock: VirtualTime {
        state.withLock { $0.clock }
    }

    /// The virtual time as a date.
    public final var now: RxTime { converter.convertFromVirtualTime(clock) }

    /// The number of scheduled pieces of work that have not run.
    public final var pendingCount: Int { work.count }

    /// Runs work at the current virtual time, once the scheduler runs.
    @preconcurrency
    public final func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
    }

    /// Runs work `dueTime` after the current virtual time.
    @preconcurrency
    public final func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let time = converter.offsetVirtualTime(clock, offset: converter.convert(dueTime))
        return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(time), action: action)
    }

    /// Schedules `action` to run once, `dueTime` of virtual time from now.
    @preconcurrency
    public final func scheduleRelativeVirtual<StateType: Sendable>(
        _ state: StateType, dueTime: VirtualTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleAbsoluteVirtual(
            state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Schedules `action` to run once, at the virtual time `time`.
    @preconcurrency
    public final func scheduleAbsoluteVirtual<StateType: Sendable>(
        _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        work.insert(at: time) { action(state) }
    }

    /// Adjusts the time of work from `schedule` and `scheduleRelative`, but not of work scheduled in virtual
    /// time. Subclasses may return a later time: a test scheduler adds a tick to work that is due now.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        time
    }

    /// Runs all work in order, moving the clock along, until none is left or `stop()` is called.
    public final func start() {
        run(until: nil)
    }

    /// Moves the clock to `virtualTime` and runs the work that is due by then.
    public final func advanceTo(_ virtualTime: VirtualTime) {
        run(until: virtualTime)
        state.withLock { state in
            if converter.compareVirtualTime(state.clock, virtualTime) == .lessThan {
                state.clock = virtualTime
            }
        }
    }

    /// Moves the clock by `interval` and runs the work that is due by then.
    public final func advance(by interval: RxTimeInterval) {
        advanceTo(converter.offsetVirtualTime(clock, offset: converter.convert(interval)))
    }

    /// Moves the clock by `virtualInterval` without running work.
    public final func sleep(_ virtualInterval: VirtualTimeInterval) {
        state.withLock { $0.clock = converter.offsetVirtualTime($0.clock, offset: virtualInterval) }
    }

    /// Ends a running `start()` or `advanceTo(_:)` after the current piece of work.
    public final func stop() {
        state.withLock { $0.isRunning = false }
    }

    private func run(until limit: VirtualTime?) {
        state.withLock { $0.isRunning = true }
        while state.withLock({ $0.isRunning }), runNext(until: limit) {}
        stop()
    }

    /// Moves the clock to the first work and runs that, unless it is later than `limit`. Returns whether it
    /// ran any.
    @discardableResult
    package final func runNext(until limit: VirtualTime? = nil) -> Bool {
        guard let item = work.next(until: limit) else { return false }
        state.withLock { state in
            if converter.compareVirtualTime(item.time, state.clock) == .greaterThan {
                state.clock = item.time
            }
        }
        item.run()
        return true
    }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
    /// The value as text, for debuggers.
    public var debugDescription: String { "\(clock): \(work.times)" }
}
