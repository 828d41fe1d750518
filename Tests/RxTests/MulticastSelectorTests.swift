import Rx
import RxTesting
import Testing

@Suite("Multicast with a selector", .noLeaks)
struct MulticastSelectorTests {
    private let scheduler = TestScheduler()

    @Test("What either closure throws is the error, and the source is not started")
    func throwing() {
        let source = Source("a|", scheduler)
        let broken = source.observable.multicast({ () -> PublishSubject<String> in throw TestError() }) { $0 }
        #expect(scheduler.marbles(of: broken) == "#")
        let unusable = source.observable.multicast({ PublishSubject() }) {
            (_: Observable<String>) -> Observable<Int> in throw TestError()
        }
        #expect(scheduler.marbles(of: unusable) == "#")
        #expect(source.subscriptions.isEmpty)
        #expect(source.census.alive == 2, "each description holds its source")
        withExtendedLifetime((broken, unusable)) {}
    }

    @Test("The source has one subscription, started after the result's and stopped with it")
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

    @Test("A result that ends at once starts no source")
    func atOnce() {
        let source = Source("a|", scheduler)
        #expect(
            scheduler.marbles(of: source.observable.multicast({ PublishSubject() }) { _ in .just(1) })
                == "(1|)")
        #expect(source.subscriptions.isEmpty)
    }
}
