import Rx
import RxTesting
import Testing

@Suite("multicast with a selector", .noLeaks)
struct MulticastSelectorTests {
    private let scheduler = TestScheduler()

    @Test("A closure that throws fails the stream without subscribing to the source")
    func throwing() {
        let source = Source("a|", scheduler)
        let broken = source.observable.multicast({ () -> PublishSubject<String> in throw TestError() }) { $0 }
        #expect(scheduler.marbles(of: broken) == "#")
        let unusable = source.observable.multicast({ PublishSubject() }) {
            (_: Observable<String>) -> Observable<Int> in throw TestError()
        }
        #expect(scheduler.marbles(of: unusable) == "#")
        #expect(source.subscriptions.isEmpty)
        #expect(source.census.alive == 2, "each observable retains its source")
        withExtendedLifetime((broken, unusable)) {}
    }

    @Test("multicast subscribes to its source once, after the result, and disposes it with the result")
    func one() {
        let source = Source("(ab)-c-|", scheduler)
        let output = scheduler.marbles(
            of:
                source.observable.multicast({ PublishSubject() }) { shared in
                    Observable.zip(shared, shared.skip(1)) { $0 + $1 }.take(2)
                })
        #expect(output == "{ab}-({bc}|)")
        #expect(source.subscriptions == ["^-!"])
        #expect(source.census.alive == 0)
    }

    @Test("A result that ends synchronously does not subscribe to the source")
    func atOnce() {
        let source = Source("a|", scheduler)
        #expect(
            scheduler.marbles(of: source.observable.multicast({ PublishSubject() }) { _ in .just(1) })
                == "(1|)")
        #expect(source.subscriptions.isEmpty)
    }
}
