public import Rx

/// A scheduler whose clock stands until a test moves it, with streams whose events come at known times and observers that
/// write down what came when.
///
/// In ticks and events, as with RxTest:
///
///     let scheduler = TestScheduler(initialClock: 0)
///     let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
///     let result = scheduler.start { source.map { $0 * 10 } }
///     #expect(result.events == [.next(210, 10), .next(220, 20), .completed(230)])
///     #expect(source.subscriptions == [Subscription(200, 230)])
///
/// Or in marbles, where a character is a tick (see ``Marbles``):
///
///     let scheduler = TestScheduler(frame: .milliseconds(10))
///     let source = try scheduler.createColdObservable("-a-b-|")
///     scheduler.expect(source.delay(.milliseconds(20), scheduler: scheduler), sends: "---a-b-|")
///     #expect(source.subscriptionMarbles == ["^----!"])
public final class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable
{
    /// When `start` creates, subscribes and disposes unless it is told.
    public enum Defaults {
        public static let created: TestTime = 100
        public static let subscribed: TestTime = 200
        public static let disposed: TestTime = 1_000
    }

    private let simulateProcessingDelay: Bool

    /// - Parameters:
    ///   - initialClock: the time at first, in ticks.
    ///   - resolution: how many seconds a tick is.
    ///   - simulateProcessingDelay: whether what is scheduled for now or before runs a tick later, and not in this one.
    public init(initialClock: TestTime, resolution: Double = 1, simulateProcessingDelay: Bool = true) {
        self.simulateProcessingDelay = simulateProcessingDelay
        super.init(
            initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    /// A scheduler for marbles: its clock is at 0, a tick is `frame`, and what is scheduled for now runs now.
    public convenience init(frame: RxTimeInterval) {
        self.init(
            initialClock: 0, resolution: frame.seconds,
            simulateProcessingDelay: false)
    }

    public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
        let now = clock
        return time > now ? time : simulateProcessingDelay ? now + 1 : now
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

// Streams and observers.
extension TestScheduler {
    /// A stream that sends `events` at those ticks, whoever is subscribed then.
    public func createHotObservable<Element>(
        _ events: [Recorded<Event<Element>>]
    ) -> TestableObservable<Element> {
        .hot(self, events)
    }

    /// A stream that sends each subscriber `events`, at those ticks from its subscription on.
    public func createColdObservable<Element>(
        _ events: [Recorded<Event<Element>>]
    ) -> TestableObservable<Element> {
        .cold(self, events)
    }

    /// An observer that writes down what it gets, and when.
    public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
        TestableObserver(scheduler: self)
    }
}

// Runs.
extension TestScheduler {
    /// Calls `create` at the tick `created`, subscribes at `subscribed`, disposes at `disposed`, and runs all that is
    /// scheduled. What was sent while the subscription was there, in ticks of the scheduler.
    public func start<Output: ObservableConvertibleType>(
        created: TestTime, subscribed: TestTime, disposed: TestTime, create: () -> Output
    ) -> TestableObserver<Output.Element> {
        let observer = createObserver(Output.Element.self)
        // The scheduler stops at these, in their turn among what else is scheduled for those ticks.
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

    /// `start(created:subscribed:disposed:create:)`, at 100, 200 and `disposed`.
    public func start<Output: ObservableConvertibleType>(
        disposed: TestTime, create: () -> Output
    ) -> TestableObserver<Output.Element> {
        start(
            created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// `start(created:subscribed:disposed:create:)`, at 100, 200 and 1000.
    public func start<Output: ObservableConvertibleType>(
        _ create: () -> Output
    ) -> TestableObserver<Output.Element> {
        start(disposed: Defaults.disposed, create: create)
    }

    /// Subscribes now, runs `frames` ticks, and disposes: after the tick `disposedAt`, counted from now, or at the end.
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
