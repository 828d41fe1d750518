import Dispatch
import Rx
import RxTesting
import Testing

/// The length of a frame in milliseconds.
let frame = 10

extension TestScheduler {
    /// Creates a scheduler with frames of 10 ms.
    convenience init() {
        self.init(frame: .milliseconds(RxTests.frame))
    }
}

/// A cold stream of marbles. `census` counts its live subscriptions and unsubscribed observables.
final class Source: Sendable {
    private let stream: TestableObservable<String>
    let census = Census()

    init(_ marbles: String, _ scheduler: TestScheduler) {
        do {
            stream = try scheduler.createColdObservable(marbles)
        } catch {
            Issue.record(error)
            stream = scheduler.createColdObservable([])
        }
    }

    var subscriptions: [String] { subscriptions(from: 0) }

    func subscriptions(from start: TestTime) -> [String] {
        stream.subscriptionMarbles(from: start)
    }

    var observable: Observable<String> {
        let tracked = Tracked(census)
        return .create { [stream] observer in
            let subscription = stream.subscribe(observer)
            return Disposables.create {
                withExtendedLifetime(tracked) { subscription.dispose() }
            }
        }
    }
}
