import Foundation
import Rx

func creating() {
    let current: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    use(
        Observable<Int>.create { observer in
            observer.onNext(1)
            observer.on(.next(2))
            observer.onError(Failure())
            observer.onCompleted()
            return Disposables.create()
        })
    use(Observable.just(1))
    use(Observable.just(1, scheduler: current))
    use(Observable.of(1, 2, 3))
    use(Observable.of(1, 2, scheduler: current))
    use(Observable.from([1, 2]))
    use(Observable.from([1, 2], scheduler: current))
    use(Observable.from(1...3))
    use(Observable.from(1...3, scheduler: current))
    use(Observable.from(optional: Int?.none))
    use(Observable.from(optional: 1, scheduler: current))
    use(Observable<Int>.empty())
    use(Observable<Int>.never())
    use(Observable<Int>.error(Failure()))
    use(Observable.deferred { numbers })
    use(Observable.range(start: 1, count: 3))
    use(Observable.range(start: UInt8(1), count: 3, scheduler: current))
    use(Observable.generate(initialState: 0, condition: { $0 < 3 }, iterate: { $0 + 1 }))
    use(Observable.generate(initialState: 0, condition: { $0 < 3 }, scheduler: current, iterate: { $0 + 1 }))
    use(Observable.repeatElement(1))
    use(Observable.repeatElement(1, scheduler: current))
    use(Observable<Int>.timer(.seconds(1), scheduler: scheduler))
    use(Observable<Int>.timer(.seconds(1), period: .seconds(1), scheduler: scheduler))
    use(Observable<Int>.interval(.seconds(1), scheduler: scheduler))
    use(Observable.using({ BooleanDisposable() }, observableFactory: { _ in numbers }))
    use(AsyncStream<Int> { $0.finish() }.asObservable())
    use(AsyncStream<Int> { $0.finish() }.asObservable(priority: .low))
    use(AsyncStream<Int> { $0.finish() }.asObservable(detached: true, priority: .low) as RxObservable<Int>)
}

func singles() async throws {
    use(
        Single<Int>.create { report in
            report(.success(1))
            report(.failure(Failure()))
            return Disposables.create()
        })
    use(Single<Int>.create { 1 })
    use(Single<Int>.create(detached: true, priority: .low) { 1 })
    use(Single.just(1, scheduler: scheduler))
    use(Single<Int>.error(Failure()))
    use(Single<Int>.never())
    use(Single.deferred { single })
    use(Single<Int>.timer(.seconds(1), scheduler: scheduler))
    use(Single.using({ BooleanDisposable() }, primitiveSequenceFactory: { _ in single }))
    use(Single.zip(single, single) { $0 + $1 })
    use(Single.zip(single, single))
    use(Single.zip(single, single, single) { $0 + $1 + $2 })
    use(Single.zip(single, single, single))
    use(Single.zip(single, single, single, single) { $0 + $1 + $2 + $3 })
    use(Single.zip(single, single, single, single))
    use(Single.zip(single, single, single, single, single) { a, b, c, d, e in [a, b, c, d, e] })
    use(Single.zip(single, single, single, single, single))
    use(
        Single.zip(single, single, single, single, single, single) { a, b, c, d, e, f in [a, b, c, d, e, f] })
    use(Single.zip(single, single, single, single, single, single))
    use(
        Single.zip(single, single, single, single, single, single, single) { a, b, c, d, e, f, g in
            [a, b, c, d, e, f, g]
        })
    use(Single.zip(single, single, single, single, single, single, single))
    use(
        Single.zip(single, single, single, single, single, single, single, single) { a, b, c, d, e, f, g, h in
            [a, h]
        })
    use(Single.zip(single, single, single, single, single, single, single, single))
    use(Single.zip([single, single]) { $0.count })
    use(Single.zip([single, single]))
    use(single.subscribe { (result: SingleEvent<Int>) in use(result) })
    use(single.subscribe(onSuccess: { use($0) }, onFailure: { use($0) }, onDisposed: {}))
    use(
        single.subscribe(
            with: Owner(), onSuccess: { use(($0, $1)) }, onFailure: { use(($0, $1)) }, onDisposed: { use($0) }
        ))
    use(
        single.do(
            onSuccess: { use($0) }, afterSuccess: { use($0) }, onError: { use($0) }, afterError: { use($0) },
            onSubscribe: {}, onSubscribed: {}, onDispose: {}))
    use(single.map { $0 + 1 })
    use(single.compactMap { Int?($0) })
    use(single.filter { $0 > 1 })
    use(single.flatMap { Single.just($0) })
    use(single.flatMapMaybe { Maybe.just($0) })
    use(single.flatMapCompletable { _ in completable })
    use(single.catchAndReturn(1))
    use(single.asMaybe())
    use(single.asCompletable())
    use(single.asObservable())
    use(single.primitiveSequence)
    use(try await single.value)
}

func anyTrait() {
    use(single.delay(.seconds(1), scheduler: scheduler))
    use(single.delaySubscription(.seconds(1), scheduler: scheduler))
    use(single.observe(on: scheduler))
    use(single.subscribe(on: scheduler))
    use(single.catch { _ in Single.just(1) })
    use(single.retry())
    use(single.retry(2))
    use(single.retry { (errors: Observable<any Error>) in errors })
    use(single.retry { (errors: Observable<Failure>) in errors })
    use(single.timeout(.seconds(1), scheduler: scheduler))
    use(single.timeout(.seconds(1), other: single, scheduler: scheduler))
    use(single.debug())
    use(single.debug("single", trimOutput: true, file: #file, line: #line, function: #function))
}

func maybes() async throws {
    use(
        Maybe<Int>.create { report in
            report(.success(1))
            report(.error(Failure()))
            report(.completed)
            return Disposables.create()
        })
    use(Maybe.just(1, scheduler: scheduler))
    use(Maybe<Int>.error(Failure()))
    use(Maybe<Int>.never())
    use(Maybe<Int>.empty())
    use(Maybe.deferred { maybe })
    use(Maybe<Int>.timer(.seconds(1), scheduler: scheduler))
    use(Maybe.using({ BooleanDisposable() }, primitiveSequenceFactory: { _ in maybe }))
    use(Maybe.zip(maybe, maybe) { $0 + $1 })
    use(Maybe.zip(maybe, maybe))
    use(Maybe.zip(maybe, maybe, maybe) { $0 + $1 + $2 })
    use(Maybe.zip(maybe, maybe, maybe))
    use(Maybe.zip(maybe, maybe, maybe, maybe) { $0 + $1 + $2 + $3 })
    use(Maybe.zip(maybe, maybe, maybe, maybe))
    use(Maybe.zip(maybe, maybe, maybe, maybe, maybe) { a, b, c, d, e in [a, b, c, d, e] })
    use(Maybe.zip(maybe, maybe, maybe, maybe, maybe))
    use(Maybe.zip(maybe, maybe, maybe, maybe, maybe, maybe) { a, b, c, d, e, f in [a, b, c, d, e, f] })
    use(Maybe.zip(maybe, maybe, maybe, maybe, maybe, maybe))
    use(Maybe.zip(maybe, maybe, maybe, maybe, maybe, maybe, maybe) { a, b, c, d, e, f, g in [a, g] })
    use(Maybe.zip(maybe, maybe, maybe, maybe, maybe, maybe, maybe))
    use(
        Maybe.zip(maybe, maybe, maybe, maybe, maybe, maybe, maybe, maybe) { a, b, c, d, e, f, g, h in [a, h] }
    )
    use(Maybe.zip(maybe, maybe, maybe, maybe, maybe, maybe, maybe, maybe))
    use(Maybe.zip([maybe, maybe]) { $0.count })
    use(Maybe.zip([maybe, maybe]))
    use(maybe.subscribe { (event: MaybeEvent<Int>) in use(event) })
    use(maybe.subscribe(onSuccess: { use($0) }, onError: { use($0) }, onCompleted: {}, onDisposed: {}))
    use(
        maybe.subscribe(
            with: Owner(), onSuccess: { use(($0, $1)) }, onError: { use(($0, $1)) }, onCompleted: { use($0) },
            onDisposed: { use($0) }))
    use(
        maybe.do(
            onNext: { use($0) }, afterNext: { use($0) }, onError: { use($0) }, afterError: { use($0) },
            onCompleted: {}, afterCompleted: {}, onSubscribe: {}, onSubscribed: {}, onDispose: {}))
    use(maybe.map { $0 + 1 })
    use(maybe.compactMap { Int?($0) })
    use(maybe.filter { $0 > 1 })
    use(maybe.flatMap { Maybe.just($0) })
    use(maybe.ifEmpty(default: 1))
    use(maybe.ifEmpty(switchTo: maybe))
    use(maybe.ifEmpty(switchTo: single))
    use(maybe.catchAndReturn(1))
    use(maybe.asSingle())
    use(maybe.asCompletable())
    use(try await maybe.value)
}

func completables() async throws {
    use(
        Completable.create { report in
            report(.completed)
            report(.error(Failure()))
            return Disposables.create()
        })
    use(Completable.error(Failure()))
    use(Completable.never())
    use(Completable.deferred { completable })
    use(Completable.using({ BooleanDisposable() }, primitiveSequenceFactory: { _ in completable }))
    use(completable.concat(completable))
    use(Completable.concat(sequence(first: completable) { _ in completable }.prefix(2).map { $0 }))
    use(Completable.concat([completable]))
    use(Completable.concat(completable, completable))
    use(Completable.zip([completable]))
    use(Completable.zip(completable, completable))
    use(completable.andThen(single))
    use(completable.andThen(maybe))
    use(completable.andThen(completable))
    use(completable.andThen(numbers))
    use(completable.subscribe { (event: CompletableEvent) in use(event) })
    use(completable.subscribe(onCompleted: {}, onError: { use($0) }, onDisposed: {}))
    use(
        completable.subscribe(
            with: Owner(), onCompleted: { use($0) }, onError: { use(($0, $1)) }, onDisposed: { use($0) }))
    use(
        completable.do(
            onError: { use($0) }, afterError: { use($0) }, onCompleted: {}, afterCompleted: {},
            onSubscribe: {}, onSubscribed: {}, onDispose: {}))
    try await completable.value
}
