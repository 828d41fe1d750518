public import Rx
public import RxVirtualTime

/// A scheduler with a clock that only the test moves. Creates streams with scripted events, and recording
/// observers.
///
/// With ticks and events, as in RxTest:
///
///     let scheduler = TestScheduler(initialClock: 0)
///     let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
///     let result = scheduler.start { source.map { $0 * 10 } }
///     #expect(result.events == [.next(210, 10), .next(220, 20), .completed(230)])
///     #expect(source.subscriptions == [Subscription(200, 230)])
///
/// Or with marbles, where a character is a tick (see ``Marbles``):
///
///     let scheduler = TestScheduler(frame: .milliseconds(10))
///     let source = try scheduler.createColdObservable("-a-b-|")
///     scheduler.expect(source.delay(.milliseconds(20), scheduler: scheduler), sends: "---a-b-|")
///     #expect(source.subscriptionMarbles == ["^----!"])
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable
{
    /// The default ticks of `start`.
    public enum Defaults {
        /// When the observable is made.
        public static let created: TestTime = 100
        /// When the observer subscribes.
        public static let subscribed: TestTime = 200
        /// When the subscription is disposed of.
        public static let disposed: TestTime = 1_000
    }

    private let simulateProcessingDelay: Bool

    /// A tick lasts `resolution` seconds. With `simulateProcessingDelay`, work that is due now runs at the
    /// next tick.
    public init(initialClock: TestTime, resolution: Double = 1, simulateProcessingDelay: Bool = true) {
        self.simulateProcessingDelay = simulateProcessingDelay
        super.init(
            initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    /// Creates a scheduler for marbles: the clock starts at 0, a tick lasts `frame`, and work due now runs at
    /// once.
    public convenience init(frame: RxTimeInterval) {
        self.init(
            initialClock: 0, resolution: frame.seconds,
            simulateProcessingDelay: false)
    }

    public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
        let now = clock
        return time > now ? time : simulateProcessingDelay && now < .max ? now + 1 : now
    }

    /// Runs `action` at the tick `time`.
    @preconcurrency
    public func scheduleAt(_ time: TestTime, action: @escaping @Sendable () -> Void) {
        _ = scheduleAbsoluteVirtual((), time: time) {
            action()
            return Disposables.create()
        }
    }
}

// MARK: - Streams and observers

extension TestScheduler {
    /// Returns a stream that sends each event at its absolute tick to the observers subscribed at that time.
    public func createHotObservable<Element>(
        _ events: [Recorded<Event<Element>>]
    ) -> TestableObservable<Element> {
        .hot(self, events)
    }

    /// Returns a stream that sends each subscriber all events, at ticks relative to its subscription.
    public func createColdObservable<Element>(
        _ events: [Recorded<Event<Element>>]
    ) -> TestableObservable<Element> {
        .cold(self, events)
    }

    /// Returns an observer that records events with their ticks.
    public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
        TestableObserver(scheduler: self)
    }
}

// MARK: - Running

extension TestScheduler {
    /// Creates, subscribes to and disposes a stream at the given ticks, and runs all scheduled work.
    public func start<Output: ObservableConvertibleType>(
        created: TestTime, subscribed: TestTime, disposed: TestTime, create: () -> Output
    ) -> TestableObserver<Output.Element> {
        let observer = createObserver(Output.Element.self)
        // The scheduler stops at these ticks, in order with the other work scheduled for them.
        for time in [created, subscribed, disposed] {
            scheduleAt(time) { [weak self] in self?.stop() }
        }
        start()
        let source = create()
        start()
        let subscription = source.asObservable().subscribe(observer)
        start()
        subscription.dispose()
        start()
        return observer
    }

    /// Calls `start(created:subscribed:disposed:create:)` with the ticks 100, 200 and `disposed`.
    public func start<Output: ObservableConvertibleType>(
        disposed: TestTime, create: () -> Output
    ) -> TestableObserver<Output.Element> {
        start(
            created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// Calls `start(created:subscribed:disposed:create:)` with the ticks 100, 200 and 1000.
    public func start<Output: ObservableConvertibleType>(
        _ create: () -> Output
    ) -> TestableObserver<Output.Element> {
        start(disposed: Defaults.disposed, create: create)
    }

    /// Subscribes now, runs `frames` ticks, and records the events. Disposes the subscription `disposedAt`
    /// ticks from now, by default after `frames` ticks.
    public func record<Output: ObservableConvertibleType>(
        _ source: Output, disposedAt: TestTime? = nil, frames: TestTime = 100
    ) -> TestableObserver<Output.Element> {
        let start = clock
        let observer = createObserver(Output.Element.self)
        let subscription = source.asObservable().subscribe(observer)
        advanceTo(start + min(disposedAt ?? frames, frames))
        subscription.dispose()
        advanceTo(start + frames)
        return observer
    }
}
