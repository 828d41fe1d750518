// Ported code, as its authors document it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import RxBlocking
import RxCompatibility

/// Examples from RxSwift's playground and tests, and their output.
public class Examples {
    private var lines: [String] = []
    private var disposeBag = DisposeBag()

    public init() {}

    private func log(_ line: String) {
        lines.append(line)
    }

    public static func run() -> [String] {
        let examples = Examples()
        examples.creating()
        examples.combining()
        examples.traits()
        examples.sharing()
        examples.virtualTime()
        examples.ownTypes()
        examples.disposeBag = DisposeBag()
        return examples.lines
    }

    private func creating() {
        var count = 1
        let deferred = Observable<String>.deferred {
            count += 1
            return Observable.create { observer in
                observer.onNext("\(count)")
                observer.onCompleted()
                return Disposables.create()
            }
        }
        deferred.subscribe(onNext: { self.log($0) }).disposed(by: disposeBag)
        deferred.subscribe { event in self.log("\(event)") }.disposed(by: disposeBag)
        Observable.from(["a", "b"]).concat(Observable.just("c")).toArray()
            .subscribe(onSuccess: { self.log($0.joined()) })
            .disposed(by: disposeBag)
        Observable.generate(initialState: 0, condition: { $0 < 3 }, iterate: { $0 + 1 })
            .subscribe(onNext: { [unowned self] in self.log("\($0)") })
            .disposed(by: disposeBag)
        let text = try? Observable.just("blocked").delay(
            .milliseconds(1), scheduler: ConcurrentDispatchQueueScheduler(qos: .default)
        )
        .toBlocking(timeout: 60).first()
        log((text ?? nil) ?? "not")
    }

    private func combining() {
        let first = PublishSubject<String>()
        let second = PublishSubject<Int>()
        Observable.combineLatest(first, second) { "\($0)\($1)" }.subscribe(onNext: log).disposed(
            by: disposeBag)
        Observable.combineLatest(first, second).map { $0 + "\($1)" }.subscribe(onNext: log).disposed(
            by: disposeBag)
        Observable.zip(first, second).subscribe(onNext: { self.log("\($0.0)-\($0.1)") }).disposed(
            by: disposeBag)
        Observable.merge(first, second.map(String.init)).subscribe(onNext: log).disposed(by: disposeBag)
        first.withLatestFrom(second) { ($0, $1) }
            .subscribe(onNext: { text, number in self.log("\(text)@\(number)") })
            .disposed(by: disposeBag)
        Observable.combineLatest([first, second.map { "\($0)" }]) { $0.joined() }
            .subscribe(onNext: log)
            .disposed(by: disposeBag)
        first.onNext("x")
        second.onNext(1)
        first.on(.next("y"))
    }

    private func traits() {
        func save(_ name: String) -> Completable {
            return Completable.create { completable in
                name.isEmpty ? completable(.error(SearchError.offline)) : completable(.completed)
                return Disposables.create {}
            }
        }
        save("kim").andThen(Single.just("saved"))
            .flatMap { text in Single.just(text.uppercased()) }
            .subscribe { result in
                switch result {
                case .success(let text): self.log(text)
                case .failure(let error): self.log("\(error)")
                }
            }
            .disposed(by: disposeBag)
        save("").subscribe { event in
            switch event {
            case .completed: self.log("completed")
            case .error(let error): self.log("\(error)")
            }
        }.disposed(by: disposeBag)
        Maybe<Int>.empty().ifEmpty(default: 7).subscribe(onSuccess: { self.log("\($0)") }).disposed(
            by: disposeBag)
        Maybe<Int>.just(8).subscribe { maybe in
            switch maybe {
            case .success(let element): self.log("\(element)")
            case .completed, .error: self.log("none")
            }
        }.disposed(by: disposeBag)
        Single.zip(Single.just(1), Single.just("2")) { "\($0)\($1)" }
            .logged(Logger())
            .subscribe(onSuccess: log)
            .disposed(by: disposeBag)
        let decoded = Observable.just(Data(#"{"name":"rx","stars":5}"#.utf8))
            .decode(type: Repository.self, decoder: JSONDecoder())
        decoded.subscribe(onNext: { self.log($0.name) }).disposed(by: disposeBag)
    }

    private func sharing() {
        let connectable = Observable.of(1, 2).do(onSubscribe: { self.log("subscribed") }).publish()
        _ = connectable.subscribe(onNext: { self.log("a\($0)") })
        _ = connectable.subscribe(onNext: { self.log("b\($0)") })
        connectable.connect().disposed(by: disposeBag)
        let relay = BehaviorRelay<[Int]>(value: [])
        relay.asObservable().skip(1).subscribe(onNext: { [weak self] in self?.log("\($0)") }).disposed(
            by: disposeBag)
        relay.accept(relay.value + [1])
        let replayed = ReplaySubject<Int>.create(bufferSize: 1)
        replayed.onNext(1)
        replayed.onNext(2)
        replayed.subscribe { self.log("\($0)") }.disposed(by: disposeBag)
        Observable.of(1, 2, 3, 4).groupBy { $0 % 2 }
            .flatMap { group in group.reduce(0, accumulator: +).map { "\(group.key):\($0)" } }
            .toArray()
            .subscribe(onSuccess: { self.log($0.sorted().joined(separator: " ")) })
            .disposed(by: disposeBag)
    }

    private func virtualTime() {
        let scheduler = FrameScheduler()
        let text = PublishSubject<String>()
        let controller = SearchController()
        controller.viewModel = SearchViewModel(service: SearchService(), scheduler: scheduler)
        text.debounce(.seconds(1), scheduler: scheduler)
            .subscribe(onNext: { self.log("\($0) at \(scheduler.clock)") })
            .disposed(by: disposeBag)
        scheduler.at(10) { text.onNext("a") }
        scheduler.at(20) { text.onNext("b") }
        scheduler.start()
        Observable<Int>.interval(.seconds(1), scheduler: scheduler).take(2)
            .subscribe(onNext: { self.log("\($0) at \(scheduler.clock)") }, onDisposed: { self.log("over") })
            .disposed(by: disposeBag)
        scheduler.start()
    }

    private func ownTypes() {
        let ticker = Ticker()
        let recorder = Recorder<Int>()
        let subscription = ticker.everySecond().subscribe(recorder)
        for _ in 0..<5 { ticker.tick() }
        subscription.dispose()
        ticker.tick()
        log("\(recorder.events)")
        log("\(recorder.events == [.next(2), .next(4)])")
        let countdown = Countdown(from: 3)
        countdown.mapMany().subscribe(onNext: log).disposed(by: disposeBag)
        countdown.connect().disposed(by: disposeBag)
        let inline = InlineScheduler()
        Observable.just(1).observe(on: inline).subscribe(ClosureObserver { self.log("\($0)") }).disposed(
            by: disposeBag)
        let queue = OperationQueueScheduler(operationQueue: OperationQueue())
        log("\((try? Observable.of(1, 2).observe(on: queue).toBlocking().toArray()) ?? [])")
        let late = LateScheduler()
        log(
            "\((try? Observable<Int>.interval(.milliseconds(1), scheduler: late).take(3).toBlocking().toArray()) ?? [])"
        )
        let indicator = ActivityIndicator()
        indicator.asObservable().subscribe(onNext: { self.log("\($0)") }).disposed(by: disposeBag)
        Observable.just(1).trackActivity(indicator).subscribe().disposed(by: disposeBag)
        Observable.of("1", "x", "3").numbers().subscribe(onNext: { self.log("\($0)") }).disposed(
            by: disposeBag)
        Observable<Int?>.of(1, nil).filterNil().mapTo("some").subscribe(onNext: log).disposed(by: disposeBag)
        _ = Observable.of([1, 2], [3]).mapMany { "\($0)" }.subscribe(onNext: { self.log($0.joined()) })
        var tick = 0
        let recursive = CurrentThreadScheduler.instance.scheduleRecursive(3) { state, recurse in
            tick += 1
            if state > 0 { recurse(state - 1) }
        }
        recursive.dispose()
        log("\(tick)")
    }
}

extension ObservableType where Element == Int {
    func mapMany() -> Observable<String> {
        return self.map { "\($0)" }.reduce("") { $0 + $1 }
    }
}

/// Examples with async and await.
func titles(of source: Observable<String>) async throws -> [String] {
    var titles: [String] = []
    for try await title in source.values { titles.append(title) }
    let first = try await source.take(1).asSingle().value
    titles.append(first)
    let single = Single<String>.create { try await Single.just("task").value }
    titles.append(try await single.value)
    let stream = AsyncStream<String> { continuation in
        continuation.yield("stream")
        continuation.finish()
    }
    for await title in stream.asObservable().asInfallible(onErrorJustReturn: "").values {
        titles.append(title)
    }
    return titles
}
