import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import Testing

final class ProfileViewModel {
    let name = BehaviorRelay(value: "")
    let isValid: Observable<Bool>
    private let bag = DisposeBag()

    init(saved: PublishSubject<String>) {
        isValid = name.map { !$0.isEmpty }.distinctUntilChanged()
        saved.bind(to: name).disposed(by: bag)
    }
}

extension ObservableType where Element: Numeric {
    func scaled(by factor: Element) -> Observable<Element> {
        map { $0 * factor }
    }
}

/// The code blocks of the article, verbatim.
@Suite("Coming from RxSwift", .noLeaks)
struct ComingFromRxSwiftTests {
    @Test("A view model reports whether its name is valid, and releases its bindings")
    func viewModel() {
        let saved = PublishSubject<String>()
        let log = Log<String>()
        do {
            let model = ProfileViewModel(saved: saved)
            let subscription = log.record(model.isValid)
            for name in ["a", "ab", ""] { saved.onNext(name) }
            subscription.dispose()
        }
        #expect(log.entries == ["false", "true", "false"])
        #expect(!saved.hasObservers, "the bag is deallocated with the model")
    }

    @Test("A custom operator extends ObservableType")
    func scaled() {
        #expect(events(Observable.of(1, 2).scaled(by: 3)) == ["3", "6", "done"])
    }

    @Test("A request is retried within its deadline")
    func request() {
        let scheduler = TestScheduler(frame: .milliseconds(100))
        let deadline = scheduler.now.addingTimeInterval(1)
        let attempts = Log<Int>()
        let request = Single<String>.deferred {
            attempts.add(scheduler.clock)
            return .error(TestError("busy"))
        }
        var policy = RetryPolicy(maxAttempts: 4, backoff: .exponential(base: .milliseconds(100)))
        policy.budget = RetryTokenBucket()
        let profile =
            request
            .retry(policy, scheduler: scheduler)
            .timeout(at: deadline, scheduler: scheduler)
            .asResult()
        let results = scheduler.record(profile).elements
        #expect(results.count == 1)
        #expect(throws: TestError("busy")) { try results.first?.get() }
        #expect(attempts.entries.count == 4)
    }
}
