import Dispatch
import FoundationEssentials
import Rx
import RxTesting
import Testing

/// The code blocks of the article, verbatim.
@Suite("Types of Rx by example", .noLeaks)
struct TypesByExampleTests {
    private struct NoName: Error {}

    @Test("Subjects replay the latest value, the last values, or the last value at the end")
    func subjects() {
        let weight = BehaviorSubject(value: 71)
        let history = ReplaySubject<Int>.create(bufferSize: 2)
        let last = AsyncSubject<Int>()
        let bag = DisposeBag()
        weight.subscribe(history).disposed(by: bag)
        weight.subscribe(last).disposed(by: bag)
        for kilograms in [72, 73] { weight.onNext(kilograms) }
        weight.onCompleted()
        #expect(events(history) == ["72", "73", "done"])
        #expect(events(last) == ["73", "done"])
    }

    func announce<Subject: SubjectType>(_ text: String, to subject: Subject) -> any Disposable
    where Subject.Observer.Element == String {
        Observable.just(text).subscribe(subject.asObserver())
    }

    @Test("A function takes any subject")
    func anySubject() {
        let subject = ReplaySubject<String>.create(bufferSize: 1)
        announce("hello", to: subject).dispose()
        #expect(events(subject).first == "hello")
    }

    final class Label: Sendable {
        let text = BehaviorRelay(value: "")
    }

    @Test("A binder passes values to an object")
    func binder() {
        let label = Label()
        let names = PublishSubject<String>()
        let bag = DisposeBag()
        let title = Binder(label) { label, text in label.text.accept(text) }
        names.bind(to: title).disposed(by: bag)
        names.onNext("Kettle")
        #expect(label.text.value == "Kettle")
    }

    @Test("Streams are shared and grouped")
    func shared() {
        let orders = PublishSubject<Int>()
        let published: ConnectableObservable<Int> = orders.publish()
        let latest = published.share(replay: 1, scope: .whileConnected)
        let firstBig = published.take(until: { $0 > 100 }, behavior: .inclusive)
        let parities = orders.groupBy { $0 % 2 }
            .flatMap { (group: GroupedObservable<Int, Int>) in
                group.scan(0) { $0 + $1 }.map { "\(group.key): \($0)" }
            }
        let (numbers, big, texts) = (Log<String>(), Log<String>(), Log<String>())
        let bag = DisposeBag()
        numbers.record(latest).disposed(by: bag)
        big.record(firstBig).disposed(by: bag)
        texts.record(parities).disposed(by: bag)
        published.connect().disposed(by: bag)
        for order in [1, 200, 3] { orders.onNext(order) }
        #expect(numbers.entries == ["1", "200", "3"])
        #expect(big.entries == ["1", "200", "done"])
        #expect(texts.entries == ["1: 1", "0: 200", "1: 4"])
    }

    func name(of product: Int) -> Maybe<String> { product == 7 ? .just("Kettle") : .empty() }

    func save(_ name: String) -> Completable { name.isEmpty ? .error(NoName()) : .empty() }

    func stock() -> Single<Int> {
        .create { (report: @escaping @Sendable (SingleEvent<Int>) -> Void) in
            report(.success(3))
            return Disposables.create()
        }
    }

    final class Roll: Emitter<Int>, @unchecked Sendable {
        override func begin() { onLast(4) }
        override func copy() -> Emitter<Int> { Roll() }
    }

    @Test("Sequences have at most one value")
    func sequences() async throws {
        await #expect(throws: NoName.self) { try await save("").value }
        #expect(try await name(of: 7).value == "Kettle")
        #expect(try await name(of: 8).value == nil)
        #expect(try await stock().value == 3)
        #expect(try await Single.emitting(Roll()).value == 4)
    }

    @Test("Disposables are removed, replaced, counted and scheduled")
    func disposables() {
        let log = Log<String>()
        let downloads = CompositeDisposable()
        let download: any Cancelable = Disposables.create { log.add("the download ends") }
        let key: CompositeDisposable.DisposeKey? = downloads.insert(download)
        if let key { downloads.remove(for: key) }

        let search = SerialDisposable()
        search.disposable = Disposables.create { log.add("the first search ends") }
        search.disposable = Disposables.create { log.add("the second search ends") }

        let connection = RefCountDisposable(
            disposable: Disposables.create { log.add("the connection ends") })
        let user = connection.retain()
        connection.dispose()
        user.dispose()

        let flag = BooleanDisposable()
        ScheduledDisposable(scheduler: ImmediateScheduler.instance, disposable: flag).dispose()
        #expect(log.entries == ["the download ends", "the first search ends", "the connection ends"])
        #expect(flag.isDisposed)
        search.dispose()
        downloads.dispose()
    }

    func background() -> DispatchQueueScheduler {
        ConcurrentDispatchQueueScheduler(qos: .utility)
    }

    func uppercased(
        _ names: Observable<String>, on scheduler: any ImmediateSchedulerType
    ) -> Observable<String> {
        names.observe(on: scheduler).map { $0.uppercased() }
    }

    func age(of date: RxTime, on scheduler: any SchedulerType) -> RxTimeInterval {
        .milliseconds(Int(scheduler.now.timeIntervalSince(date) * 1_000))
    }

    @Test("Schedulers run work, and have a clock")
    func schedulers() {
        let names = Observable.just("kettle")
        let here = uppercased(names, on: CurrentThreadScheduler.instance)
        let onMain = uppercased(names, on: MainScheduler.instance)
        let fromMain = names.subscribe(on: ConcurrentMainScheduler.instance)
        #expect(events(here) == ["KETTLE", "done"])
        _ = (onMain, fromMain)
        let clock = background()
        let age = age(of: clock.now.addingTimeInterval(-60), on: clock)
        guard case .milliseconds(let milliseconds) = age else { return #expect(Bool(false), "\(age)") }
        #expect(milliseconds >= 59_000)
    }

    /// Not run: it would change the handler of all tests.
    func report() {
        Hooks.defaultErrorHandler = { _, error in print("unhandled: \(error)") }
        print("\(Resources.total) objects live")
    }

    func isOfTwoReaders(_ error: any Error) -> Bool { error is ConcurrentReadError }

    func isTimeout(_ error: any Error) -> Bool {
        if case RxError.timeout? = error as? RxError { true } else { false }
    }

    func total<Number: RxAbstractInteger & Sendable>(of numbers: RxObservable<Number>) -> Single<Number> {
        numbers.reduce(0) { $0 + $1 }.asSingle()
    }

    @Test("Names of RxSwift, and the error of two readers")
    func names() async throws {
        #expect(try await total(of: .of(1, 2, 3)).value == 6)
        #expect(isOfTwoReaders(ConcurrentReadError()))
        #expect(isTimeout(RxError.timeout))
        #expect(!isTimeout(ConcurrentReadError()))
    }
}
