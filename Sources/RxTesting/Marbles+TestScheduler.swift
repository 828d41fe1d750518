public import Rx
import RxVirtualTime

extension TestScheduler {
    /// Returns a stream that plays the marbles to each subscriber from its subscription on.
    public func createColdObservable(
        _ marbles: String
    ) throws(MarbleSyntaxError) -> TestableObservable<String> {
        createColdObservable(try Marbles.events(marbles))
    }

    /// Returns a stream that plays the marbles to each subscriber, with names replaced by `values`.
    public func createColdObservable<Element>(
        _ marbles: String, values: [String: Element]
    ) throws(MarbleSyntaxError) -> TestableObservable<Element> {
        createColdObservable(try Marbles.events(marbles, values: values))
    }

    /// Returns a stream that plays the marbles from the current tick on.
    public func createHotObservable(
        _ marbles: String
    ) throws(MarbleSyntaxError) -> TestableObservable<String> {
        createHotObservable(fromNow(try Marbles.events(marbles)))
    }

    /// Returns a stream that plays the marbles, with names replaced by `values`, from the current tick on.
    public func createHotObservable<Element>(
        _ marbles: String, values: [String: Element]
    ) throws(MarbleSyntaxError) -> TestableObservable<Element> {
        createHotObservable(fromNow(try Marbles.events(marbles, values: values)))
    }

    private func fromNow<Element>(_ events: [Recorded<Event<Element>>]) -> [Recorded<Event<Element>>] {
        let now = clock
        return events.map { Recorded(time: now + $0.time, value: $0.value) }
    }

    /// Subscribes to `source`, runs `frames` ticks, and returns its events as marbles.
    public func marbles<Output: ObservableConvertibleType>(
        of source: Output, disposedAt: TestTime? = nil, frames: TestTime = 100
    ) -> String {
        record(source, disposedAt: disposedAt, frames: frames).marbles
    }
}

extension TestableObserver {
    /// The events so far, as marbles.
    public var marbles: String { Marbles.text(events, from: start) }
}

extension TestableObservable {
    /// Each subscription as marbles. Frame 0 is tick 0.
    public var subscriptionMarbles: [String] { subscriptionMarbles(from: 0) }

    /// Returns each subscription as marbles. Frame 0 is the tick `start`.
    public func subscriptionMarbles(from start: TestTime) -> [String] {
        subscriptions.map { Marbles.text($0, from: start) }
    }
}
