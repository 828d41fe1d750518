import Foundation
import Rx

func transforming() {
    use(numbers.map { $0 + 1 })
    use(numbers.compactMap { Int?($0) })
    use(numbers.flatMap { Observable.just($0) })
    use(numbers.flatMapFirst { Single.just($0) })
    use(numbers.flatMapLatest { Maybe.just($0) })
    use(numbers.concatMap { Observable.just($0) })
    use(numbers.scan(0, accumulator: +))
    use(numbers.scan(0) { $0 + $1 })
    use(numbers.scan(into: [Int]()) { $0.append($1) })
    use(numbers.reduce(0, accumulator: +))
    use(numbers.reduce(0, accumulator: +, mapResult: { "\($0)" }))
    use(numbers.toArray())
    use(numbers.groupBy { $0 % 2 }.map { (group: GroupedObservable<Int, Int>) in group.key })
    use(numbers.groupBy(keySelector: { $0 % 2 }).flatMap { $0.asObservable() })
    use(numbers.buffer(timeSpan: .seconds(1), count: 3, scheduler: scheduler))
    use(numbers.window(timeSpan: .seconds(1), count: 3, scheduler: scheduler))
    use(numbers.materialize())
    use(numbers.materialize().dematerialize())
    use(numbers.enumerated().map { $0.index + $0.element })
    use(Observable.just(Data()).decode(type: [Int].self, decoder: JSONDecoder()))
    use(numbers.withUnretained(Owner()))
    use(numbers.withUnretained(Owner()) { _, number in number })
    use(numbers.ignoreElements())
    use(numbers.asSingle())
    use(numbers.asMaybe())
    use(never.asCompletable())
    use(numbers.asInfallible(onErrorJustReturn: 1))
    use(numbers.asInfallible(onErrorFallbackTo: infallible))
    use(numbers.asInfallible { _ in infallible })
    use(numbers.first())
    use(numbers.asObservable())
}

func filtering() {
    use(numbers.filter { $0 > 1 })
    use(numbers.distinctUntilChanged())
    use(numbers.distinctUntilChanged { $0 % 2 })
    use(numbers.distinctUntilChanged { $0 == $1 })
    use(numbers.distinctUntilChanged({ $0 % 2 }, comparer: { $0 == $1 }))
    use(texts.distinctUntilChanged(at: \.count))
    use(numbers.take(1))
    use(numbers.take(for: .seconds(1), scheduler: scheduler))
    use(numbers.take(until: texts))
    use(numbers.take(until: { $0 > 1 }))
    use(numbers.take(until: { $0 > 1 }, behavior: .inclusive))
    use(numbers.take(while: { $0 < 1 }))
    use(numbers.take(while: { $0 < 1 }, behavior: .exclusive))
    use(numbers.takeLast(1))
    use(numbers.skip(1))
    use(numbers.skip(.seconds(1), scheduler: scheduler))
    use(numbers.skip(until: texts))
    use(numbers.skip(while: { $0 < 1 }))
    use(numbers.element(at: 1))
    use(numbers.single())
    use(numbers.single { $0 == 1 })
    use(numbers.sample(texts))
    use(numbers.sample(texts, defaultValue: 1))
    use(numbers.debounce(.seconds(1), scheduler: scheduler))
    use(numbers.throttle(.seconds(1), scheduler: scheduler))
    use(numbers.throttle(.seconds(1), latest: false, scheduler: scheduler))
    use(numbers.ifEmpty(default: 1))
    use(numbers.ifEmpty(switchTo: numbers))
}

func combining() {
    use(numbers.startWith(0))
    use(numbers.startWith(0, 1))
    use(numbers.concat(numbers))
    use(Observable.concat([numbers, numbers]))
    use(Observable.concat(AnySequence([1]).map { _ in numbers }))
    use(Observable.concat(numbers, numbers))
    use(Observable.just(numbers).concat())
    use(Observable.merge([numbers, numbers]))
    use(Observable.merge(numbers, numbers))
    use(Observable.just(numbers).merge())
    use(Observable.just(numbers).merge(maxConcurrent: 2))
    use(Observable.just(numbers).switchLatest())
    use(numbers.withLatestFrom(texts))
    use(numbers.withLatestFrom(texts) { "\($0)\($1)" })
    use(numbers.amb(numbers))
    use(Observable.amb([numbers, numbers]))
}

func combiningLatest() {
    use(Observable.combineLatest(numbers, texts) { "\($0)\($1)" })
    use(Observable.combineLatest(numbers, texts))
    use(Observable.combineLatest(numbers, texts, flags) { a, b, c in "\(a)\(b)\(c)" })
    use(Observable.combineLatest(numbers, texts, flags))
    use(Observable.combineLatest(numbers, texts, flags, numbers) { a, b, c, d in "\(a)\(b)\(c)\(d)" })
    use(Observable.combineLatest(numbers, texts, flags, numbers))
    use(Observable.combineLatest(numbers, texts, flags, numbers, texts) { a, b, c, d, e in a + d })
    use(Observable.combineLatest(numbers, texts, flags, numbers, texts))
    use(Observable.combineLatest(numbers, texts, flags, numbers, texts, flags) { a, b, c, d, e, f in a + d })
    use(Observable.combineLatest(numbers, texts, flags, numbers, texts, flags))
    use(
        Observable.combineLatest(numbers, texts, flags, numbers, texts, flags, numbers) {
            a, b, c, d, e, f, g in a + g
        })
    use(Observable.combineLatest(numbers, texts, flags, numbers, texts, flags, numbers))
    use(
        Observable.combineLatest(numbers, texts, flags, numbers, texts, flags, numbers, texts) {
            a, b, c, d, e, f, g, h in a + g
        })
    use(Observable.combineLatest(numbers, texts, flags, numbers, texts, flags, numbers, texts))
    use(Observable.combineLatest([numbers, numbers]) { $0.count })
    use(Observable.combineLatest([numbers, numbers]))
    use(Observable.combineLatest(single, infallible))
}

func zipping() {
    use(Observable.zip(numbers, texts) { "\($0)\($1)" })
    use(Observable.zip(numbers, texts))
    use(Observable.zip(numbers, texts, flags) { a, b, c in "\(a)\(b)\(c)" })
    use(Observable.zip(numbers, texts, flags))
    use(Observable.zip(numbers, texts, flags, numbers) { a, b, c, d in "\(a)\(b)\(c)\(d)" })
    use(Observable.zip(numbers, texts, flags, numbers))
    use(Observable.zip(numbers, texts, flags, numbers, texts) { a, b, c, d, e in a + d })
    use(Observable.zip(numbers, texts, flags, numbers, texts))
    use(Observable.zip(numbers, texts, flags, numbers, texts, flags) { a, b, c, d, e, f in a + d })
    use(Observable.zip(numbers, texts, flags, numbers, texts, flags))
    use(
        Observable.zip(numbers, texts, flags, numbers, texts, flags, numbers) { a, b, c, d, e, f, g in a + g }
    )
    use(Observable.zip(numbers, texts, flags, numbers, texts, flags, numbers))
    use(
        Observable.zip(numbers, texts, flags, numbers, texts, flags, numbers, texts) {
            a, b, c, d, e, f, g, h in a + g
        })
    use(Observable.zip(numbers, texts, flags, numbers, texts, flags, numbers, texts))
    use(Observable.zip([numbers, numbers]) { $0.count })
    use(Observable.zip([numbers, numbers]))
}

func failing() {
    use(numbers.catch { _ in numbers })
    use(numbers.catchAndReturn(1))
    use(Observable.catch(sequence: [numbers, numbers]))
    use(numbers.retry())
    use(numbers.retry(2))
    use(numbers.retry { (errors: Observable<any Error>) in errors })
    use(numbers.retry(when: { (errors: Observable<Failure>) in errors.map { _ in 1 } }))
}

func timing() {
    use(numbers.delay(.seconds(1), scheduler: scheduler))
    use(numbers.delaySubscription(.seconds(1), scheduler: scheduler))
    use(numbers.timeout(.seconds(1), scheduler: scheduler))
    use(numbers.timeout(.seconds(1), other: single, scheduler: scheduler))
    use(numbers.observe(on: scheduler))
    use(numbers.subscribe(on: scheduler))
}

func sharing() {
    let connectable: ConnectableObservable<Int> = numbers.publish()
    use(connectable.connect())
    use(connectable.refCount())
    use(numbers.replay(1))
    use(numbers.replayAll())
    use(numbers.multicast(PublishSubject<Int>()))
    use(numbers.multicast(makeSubject: { ReplaySubject<Int>.create(bufferSize: 1) }))
    use(numbers.multicast({ PublishSubject<Int>() }, selector: { $0.map { $0 + 1 } }))
    use(numbers.share())
    use(numbers.share(replay: 1))
    use(numbers.share(replay: 1, scope: .forever))
    use(numbers.share(scope: SubjectLifetimeScope.whileConnected))
}

func effects() async throws {
    use(
        numbers.do(
            onNext: { use($0) }, afterNext: { use($0) }, onError: { use($0) }, afterError: { use($0) },
            onCompleted: {}, afterCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {}))
    use(numbers.do(onNext: { use($0) }))
    use(numbers.debug())
    use(numbers.debug("numbers", trimOutput: true, file: #file, line: #line, function: #function))
    use(numbers.subscribe())
    use(numbers.subscribe { (event: Event<Int>) in use(event) })
    use(numbers.subscribe(onNext: { use($0) }))
    use(numbers.subscribe(onNext: { use($0) }, onError: { use($0) }, onCompleted: {}, onDisposed: {}))
    use(
        numbers.subscribe(
            with: Owner(), onNext: { use(($0, $1)) }, onError: { use(($0, $1)) }, onCompleted: { use($0) },
            onDisposed: { use($0) }))
    use(numbers.subscribe(AnyObserver<Int> { use($0) }))
    for try await number in numbers.values { use(number) }
    for await number in infallible.values { use(number) }
}
