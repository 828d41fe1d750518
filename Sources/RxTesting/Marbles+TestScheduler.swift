public import Rx

extension TestScheduler {
    /// A stream that sends each subscriber what the marbles say, from its subscription on.
    public func createColdObservable(
        _ marbles: String
    ) throws(MarbleSyntaxError) -> TestableObservable<String> {
        createColdObservable(try Marbles.events(marbles))
    }

    /// A stream that sends each subscriber what the marbles say, from its subscription on.
    public func createColdObservable<Element>(
        _ marbles: String, values: [String: Element]
    ) throws(MarbleSyntaxError) -> TestableObservable<Element> {
        createColdObservable(try Marbles.events(marbles, values: values))
    }

    /// A stream that sends what the marbles say from now on, whoever is subscribed then.
    public func createHotObservable(
        _ marbles: String
    ) throws(MarbleSyntaxError) -> TestableObservable<String> {
        createHotObservable(fromNow(try Marbles.events(marbles)))
    }

    /// A stream that sends what the marbles say from now on, whoever is subscribed then.
    public func createHotObservable<Element>(
        _ marbles: String, values: [String: Element]
    ) throws(MarbleSyntaxError) -> TestableObservable<Element> {
        createHotObservable(fromNow(try Marbles.events(marbles, values: values)))
    }

    private func fromNow<Element>(_ events: [Recorded<Event<Element>>]) -> [Recorded<Event<Element>>] {
        let now = clock
        return events.map { Recorded(time: now + $0.time, value: $0.value) }
    }

    /// What `source` sends in `frames` ticks from now on, as marbles.
    public func marbles<Output: ObservableConvertibleType>(
        of source: Output, disposedAt: TestTime? = nil, frames: TestTime = 100
    ) -> String {
        record(source, disposedAt: disposedAt, frames: frames).marbles
    }
}

extension TestableObserver {
    /// What came since it was made, as marbles.
    public var marbles: String {
        Marbles.text(events, from: start)
    }
}

extension TestableObservable {
    /// Who was subscribed, as marbles from tick 0 on.
    public var subscriptionMarbles: [String] { subscriptionMarbles(from: 0) }

    /// Who was subscribed, as marbles from the tick `start` on.
    public func subscriptionMarbles(from start: TestTime) -> [String] {
        subscriptions.map { Marbles.text($0, from: start) }
    }
}
