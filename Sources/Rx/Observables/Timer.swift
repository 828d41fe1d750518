import Locking

extension ValueStreamType where Element: FixedWidthInteger {
    /// Emits 0 after `dueTime`, then 1, 2 and so on every `period`. Without a period it completes after
    /// the 0.
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> DerivedStream {
        if let period {
            derived(from: PeriodicTimer(dueTime, period, scheduler))
        } else {
            derived(from: OneOffTimer(dueTime, scheduler, 0))
        }
    }

    /// Emits 0 after `period`, then 1, 2 and so on every `period`. It never ends.
    @inlinable
    public static func interval(
        _ period: RxTimeInterval, scheduler: any SchedulerType
    ) -> DerivedStream {
        derived(from: PeriodicTimer(period, period, scheduler))
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class OneOffTimer<Element: Sendable>: Emitter<Element>, TimerTarget, @unchecked Sendable {
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let value: Element
    private let timer: TimerSlot

    @usableFromInline
    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, _ value: Element) {
        self.dueTime = dueTime
        self.scheduler = scheduler
        self.value = value
        timer = TimerSlot(scheduler)
        super.init()
    }

    override func copy() -> Emitter<Element> {
        type(of: self).init(dueTime, scheduler, value)
    }

    override func begin() {
        timer.set(after: dueTime, self)
    }

    override func cancel() {
        timer.close()
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        onLast(value)
    }
}

// Sound: it adds only constants, locks and atomics.
@usableFromInline
final class PeriodicTimer<Element: FixedWidthInteger & Sendable>: Emitter<Element>,
    @unchecked Sendable
{
    private let dueTime: RxTimeInterval
    private let period: RxTimeInterval
    private let scheduler: any SchedulerType
    private let work = Lock<(any Disposable)?>(nil)

    @usableFromInline
    init(_ dueTime: RxTimeInterval, _ period: RxTimeInterval, _ scheduler: any SchedulerType) {
        self.dueTime = dueTime
        self.period = period
        self.scheduler = scheduler
        super.init()
    }

    override func copy() -> Emitter<Element> {
        type(of: self).init(dueTime, period, scheduler)
    }

    override func begin() {
        let work = scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) {
            [self] count in
            onNext(count)
            return count &+ 1
        }
        self.work.withLock { $0 = work }
    }

    override func cancel() {
        work.withLock { $0.take() }?.dispose()
    }
}
