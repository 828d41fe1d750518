public import Dispatch
public import FoundationEssentials
import Locking

/// Translates between a virtual clock's units and those of the schedulers.
public protocol VirtualTimeConverterType: Sendable {
    /// A point of virtual time.
    associatedtype VirtualTimeUnit: Sendable
    /// A span of virtual time.
    associatedtype VirtualTimeIntervalUnit: Sendable

    func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime
    func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit)
        -> TimeInterval
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit
    func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit)
        -> VirtualTimeUnit
    func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison

    /// The span of `interval`. In terms of `convertToVirtualTimeInterval` unless a converter is exact itself.
    func convert(_ interval: RxTimeInterval) -> VirtualTimeIntervalUnit
}

extension VirtualTimeConverterType {
    public func convert(_ interval: RxTimeInterval) -> VirtualTimeIntervalUnit {
        convertToVirtualTimeInterval(interval.seconds)
    }
}

/// How two points of virtual time lie to each other.
public enum VirtualTimeComparison: Sendable {
    case lessThan
    case equal
    case greaterThan
}

/// A scheduler of virtual time, where tests count turns: operators that could deliver several events in a turn give each event
/// its own, as RxSwift's do.
protocol PerEventScheduler: SchedulerType {}

extension VirtualTimeScheduler: PerEventScheduler {}

/// A scheduler whose clock stands until it is moved: time in tests.
///
/// Work runs on the thread that moves the clock, in the order of its times, and at equal times in the order in which it
/// was scheduled. It may be scheduled and disposed from any thread; one thread moves the clock.
// Sound: it adds only constants, locks and atomics.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType,
    @unchecked Sendable
{
    // Sound: all that changes is behind the lock.
    public typealias VirtualTime = Converter.VirtualTimeUnit
    public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

    private struct State {
        var clock: VirtualTime
        var isRunning = false
    }

    private let converter: Converter
    private let state: Lock<State>
    private let work: VirtualWork<Converter>

    public init(initialClock: VirtualTime, converter: Converter) {
        self.converter = converter
        state = Lock(State(clock: initialClock))
        work = VirtualWork(converter)
    }

    deinit {
        work.clear()
    }

    /// The virtual time.
    public final var clock: VirtualTime {
        state.withLock { $0.clock }
    }

    public final var now: RxTime {
        converter.convertFromVirtualTime(clock)
    }

    /// How much work waits.
    public final var pendingCount: Int {
        work.count
    }

    @preconcurrency
    public final func schedule<StateType: Sendable>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
    }

    @preconcurrency
    public final func scheduleRelative<StateType: Sendable>(
        _ state: StateType, dueTime: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let time = converter.offsetVirtualTime(clock, offset: converter.convert(dueTime))
        return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(time), action: action)
    }

    /// Runs `action` once, `dueTime` from now.
    @preconcurrency
    public final func scheduleRelativeVirtual<StateType: Sendable>(
        _ state: StateType, dueTime: VirtualTimeInterval,
        action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        scheduleAbsoluteVirtual(
            state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
    }

    /// Runs `action` once, at `time`.
    @preconcurrency
    public final func scheduleAbsoluteVirtual<StateType: Sendable>(
        _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        work.insert(at: time) { action(state) }
    }

    /// The time at which work of `schedule` and `scheduleRelative` runs that is due at `time`. A subclass may choose a later one:
    /// a test scheduler adds a tick to a time of now. It is not called for virtual times and intervals.
    open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        time
    }

    /// Runs all work there is, moving the clock from one to the next, until none is left or `stop()` is called.
    public final func start() {
        run(until: nil)
    }

    /// Moves the clock to `virtualTime` and runs the work up to then, that included.
    public final func advanceTo(_ virtualTime: VirtualTime) {
        run(until: virtualTime)
        state.withLock { state in
            if converter.compareVirtualTime(state.clock, virtualTime) == .lessThan {
                state.clock = virtualTime
            }
        }
    }

    /// Moves the clock by `interval` and runs the work up to then, that included.
    public final func advance(by interval: RxTimeInterval) {
        advanceTo(converter.offsetVirtualTime(clock, offset: converter.convert(interval)))
    }

    /// Moves the clock by `virtualInterval` without running anything.
    public final func sleep(_ virtualInterval: VirtualTimeInterval) {
        state.withLock { $0.clock = converter.offsetVirtualTime($0.clock, offset: virtualInterval) }
    }

    /// Ends `start()` and `advanceTo(_:)` after the work at hand.
    public final func stop() {
        state.withLock { $0.isRunning = false }
    }

    private func run(until limit: VirtualTime?) {
        state.withLock { $0.isRunning = true }
        while state.withLock({ $0.isRunning }), let item = work.next(until: limit) {
            state.withLock { state in
                if converter.compareVirtualTime(item.time, state.clock) == .greaterThan {
                    state.clock = item.time
                }
            }
            item.run()
        }
        stop()
    }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
    /// The clock, and the times of the work that waits.
    public var debugDescription: String {
        "\(clock): \(work.times)"
    }
}
