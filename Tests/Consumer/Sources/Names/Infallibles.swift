import Foundation
import Rx

func infallibles() {
    use(
        Infallible<Int>.create { report in
            report(.next(1))
            report(.completed)
            return Disposables.create()
        })
    use(InfallibleEvent.next(1).event.element)
    use(Infallible.just(1, scheduler: scheduler))
    use(Infallible<Int>.never())
    use(Infallible<Int>.empty())
    use(Infallible.deferred { infallible })
    use(Infallible.of(1, 2))
    use(Infallible.of(1, 2, scheduler: scheduler))
    use(Infallible.from([1], scheduler: scheduler))
    use(Infallible.from(1...2, scheduler: scheduler))
    use(Infallible.from(optional: 1))
    use(Infallible<Int>.timer(.seconds(1), scheduler: scheduler))
    use(Infallible<Int>.interval(.seconds(1), scheduler: scheduler))
    use(Infallible.merge([infallible]))
    use(Infallible.merge(infallible, infallible))
    use(Infallible.concat([infallible]))
    use(Infallible.concat(infallible, infallible))
    use(Infallible.combineLatest(infallible, infallible) { $0 + $1 })
    use(Infallible.combineLatest(infallible, infallible, infallible) { $0 + $1 + $2 })
    use(Infallible.combineLatest(infallible, infallible, infallible, infallible) { a, b, c, d in a + d })
    use(
        Infallible.combineLatest(infallible, infallible, infallible, infallible, infallible) {
            a, b, c, d, e in a + e
        })
    use(
        Infallible.combineLatest(infallible, infallible, infallible, infallible, infallible, infallible) {
            a, b, c, d, e, f in a + f
        })
    use(
        Infallible.combineLatest(
            infallible, infallible, infallible, infallible, infallible, infallible, infallible
        ) { a, b, c, d, e, f, g in a + g })
    use(
        Infallible.combineLatest(
            infallible, infallible, infallible, infallible, infallible, infallible, infallible, infallible
        ) { a, b, c, d, e, f, g, h in a + h })
    use(Infallible.combineLatest(infallible, infallible).map { $0.1 })
    use(Infallible.combineLatest(infallible, infallible, infallible).map { $0.2 })
    use(Infallible.combineLatest(infallible, infallible, infallible, infallible).map { $0.3 })
    use(Infallible.combineLatest(infallible, infallible, infallible, infallible, infallible).map { $0.4 })
    use(
        Infallible.combineLatest(infallible, infallible, infallible, infallible, infallible, infallible).map {
            $0.5
        })
    use(
        Infallible.combineLatest(
            infallible, infallible, infallible, infallible, infallible, infallible, infallible
        ).map { $0.6 })
    use(
        Infallible.combineLatest(
            infallible, infallible, infallible, infallible, infallible, infallible, infallible, infallible
        ).map { $0.7 })
    use(Infallible.combineLatest([infallible]) { $0.count })
    use(Infallible.combineLatest([infallible]))
    use(Infallible.zip(infallible, infallible).map { $0.1 })
    use(Infallible.zip(infallible, infallible, infallible).map { $0.2 })
    use(Infallible.zip(infallible, infallible, infallible, infallible).map { $0.3 })
    use(Infallible.zip(infallible, infallible, infallible, infallible, infallible).map { $0.4 })
    use(Infallible.zip(infallible, infallible, infallible, infallible, infallible, infallible).map { $0.5 })
    use(
        Infallible.zip(infallible, infallible, infallible, infallible, infallible, infallible, infallible).map
        { $0.6 })
    use(
        Infallible.zip(
            infallible, infallible, infallible, infallible, infallible, infallible, infallible, infallible
        ).map { $0.7 })
    use(Infallible.zip(infallible, infallible) { $0 + $1 })
    use(Infallible.zip(infallible, infallible, infallible) { $0 + $1 + $2 })
    use(Infallible.zip(infallible, infallible, infallible, infallible) { a, b, c, d in a + d })
    use(Infallible.zip(infallible, infallible, infallible, infallible, infallible) { a, b, c, d, e in a + e })
    use(
        Infallible.zip(infallible, infallible, infallible, infallible, infallible, infallible) {
            a, b, c, d, e, f in a + f
        })
    use(
        Infallible.zip(infallible, infallible, infallible, infallible, infallible, infallible, infallible) {
            a, b, c, d, e, f, g in a + g
        })
    use(
        Infallible.zip(
            infallible, infallible, infallible, infallible, infallible, infallible, infallible, infallible
        ) { a, b, c, d, e, f, g, h in a + h })
    use(infallible.subscribe { (event: InfallibleEvent<Int>) in use(event) })
    use(infallible.subscribe(onNext: { use($0) }, onCompleted: {}, onDisposed: {}))
    use(
        infallible.subscribe(
            with: Owner(), onNext: { use(($0, $1)) }, onCompleted: { use($0) }, onDisposed: { use($0) }))
}

func infallibleOperators() {
    use(infallible.filter { $0 > 1 })
    use(infallible.map { $0 + 1 })
    use(infallible.compactMap { Int?($0) })
    use(infallible.distinctUntilChanged())
    use(infallible.distinctUntilChanged { $0 % 2 })
    use(infallible.distinctUntilChanged { $0 == $1 })
    use(infallible.distinctUntilChanged({ $0 % 2 }, comparer: { $0 == $1 }))
    use(Infallible.just("a").distinctUntilChanged(at: \.count))
    use(infallible.debounce(.seconds(1), scheduler: scheduler))
    use(infallible.throttle(.seconds(1), latest: false, scheduler: scheduler))
    use(infallible.flatMap { Infallible.just($0) })
    use(infallible.flatMap { Observable.just($0) })
    use(infallible.flatMapLatest { Infallible.just($0) })
    use(infallible.flatMapFirst { Infallible.just($0) })
    use(infallible.concatMap { Infallible.just($0) })
    use(infallible.concat(infallible))
    use(
        infallible.do(
            onNext: { use($0) }, afterNext: { use($0) }, onCompleted: {}, afterCompleted: {}, onSubscribe: {},
            onSubscribed: {}, onDispose: {}))
    use(infallible.scan(0, accumulator: +))
    use(infallible.scan(into: 0) { $0 += $1 })
    use(infallible.startWith(0))
    use(infallible.take(until: infallible))
    use(infallible.take(until: numbers))
    use(infallible.take(until: { $0 > 1 }, behavior: .inclusive))
    use(infallible.take(while: { $0 > 1 }, behavior: .inclusive))
    use(infallible.take(1))
    use(infallible.take(for: .seconds(1), scheduler: scheduler))
    use(infallible.skip(while: { $0 > 1 }))
    use(infallible.skip(until: numbers))
    use(infallible.share(replay: 1, scope: .forever))
    use(infallible.withUnretained(Owner()))
    use(infallible.withUnretained(Owner()) { $1 })
    use(infallible.withLatestFrom(infallible))
    use(infallible.withLatestFrom(infallible) { $0 + $1 })
    use(infallible.debug("infallible"))
    use(infallible.observe(on: scheduler))
    use(infallible.subscribe(on: scheduler))
    use(infallible.delay(.seconds(1), scheduler: scheduler))
    use(infallible.asInfallible())
    let latest: Infallible<Int> = numbers.flatMapLatest { Infallible.just($0) }
    use(latest)
}
