extension ObservableType where Element: FixedWidthInteger {
    /// Emits 0 after `dueTime`, then 1, 2 and so on every `period`. Without a period it completes after the 0.
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        if let period {
            PeriodicTimer(dueTime, period, scheduler)
        } else {
            OneOffTimer(dueTime, scheduler, 0)
        }
    }

    /// Emits 0 after `period`, then 1, 2 and so on every `period`. It never ends.
    @inlinable
    public static func interval(
        _ period: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        PeriodicTimer(period, period, scheduler)
    }
}

// Sound: `token` is written by `begin()`, which the emitter's state word orders before `cancel()`.
@usableFromInline
final class OneOffTimer<Element: Sendable>: Emitter<Element>, TimerTarget, @unchecked Sendable {
    private let dueTime: RxTimeInterval
    private let scheduler: any SchedulerType
    private let value: Element
    private var token = TimerToken(index: 0, generation: 0)

    @usableFromInline
    init(_ dueTime: RxTimeInterval, _ scheduler: any SchedulerType, _ value: Element) {
        self.dueTime = dueTime
        self.scheduler = scheduler
        self.value = value
        super.init()
    }

    override func copy() -> Emitter<Element> {
        type(of: self).init(dueTime, scheduler, value)
    }

    override func begin() {
        token = scheduler.setTimer(after: dueTime, target: self)
    }

    override func cancel() {
        scheduler.cancelTimer(token)
    }

    @usableFromInline
    func timerFired(_ token: TimerToken) {
        onLast(value)
    }
}

// Sound: `work` is written by `begin()`, which the emitter's state word orders before `cancel()`.
@usableFromInline
final class PeriodicTimer<Element: FixedWidthInteger & Sendable>: Emitter<Element>,
    @unchecked Sendable
{
    private let dueTime: RxTimeInterval
    private let period: RxTimeInterval
    private let scheduler: any SchedulerType
    private var work: (any Disposable)?

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
        work = scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) {
            [self] count in
            onNext(count)
            return count &+ 1
        }
    }

    override func cancel() {
        work.take()?.dispose()
    }
}
