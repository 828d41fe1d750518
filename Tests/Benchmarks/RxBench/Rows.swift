import Rx

let rows = requestRows + operatorRows + subjectRows + threadRows + growthRows

private let requestRows: [Row] = [
    Row("charts pipeline, built for each request", ns: 1_500, instructions: 13_200, allocations: 22) {
        count in
        let transport = Transport()
        for _ in 0..<count {
            let subscription = transport.charts()
            transport.answerAll()
            subscription.dispose()
        }
    },
    Row("charts pipeline, the call is the source", ns: 1_200, instructions: 10_260, allocations: 16) {
        count in
        let transport = Transport()
        for _ in 0..<count {
            let subscription = transport.emittingCharts()
            transport.answerCalls()
            subscription.dispose()
        }
    },
    Row("Single.just.map.subscribe", ns: 250, instructions: 1_680, allocations: 4) { count in
        for index in 0..<count {
            _ = Single.just(index).map { $0 + 1 }.subscribe(onSuccess: { consume($0) })
        }
    },
]

private let operatorRows: [Row] = [
    Row("six map+filter, an event", ns: 120, instructions: 820, allocations: 0) { count in
        pump(count, sixMapFilter)
    },
    Row("six map+filter, a subscription", ns: 1_300, instructions: 7_100, allocations: 18) { count in
        for index in 0..<count {
            _ = sixMapFilter(.just(index)).subscribe(onNext: { consume($0) })
        }
    },
    Row("scan and distinctUntilChanged, an event", ns: 80, instructions: 465, allocations: 0) { count in
        pump(count) { $0.scan(0) { $0 + $1 }.distinctUntilChanged() }
    },
    Row("five flatMap, an event", ns: 400, instructions: 2_780, allocations: 6) { count in
        pump(count, fiveFlatMap)
    },
    Row("five flatMap, a subscription", ns: 1_200, instructions: 7_650, allocations: 18) { count in
        for index in 0..<count {
            _ = fiveFlatMap(.just(index)).subscribe(onNext: { consume($0) })
        }
    },
    Row("five flatMapLatest, an event", ns: 400, instructions: 3_160, allocations: 6) { count in
        pump(count, fiveFlatMapLatest)
    },
    Row("five flatMapLatest, a subscription", ns: 1_200, instructions: 8_010, allocations: 18) { count in
        for index in 0..<count {
            _ = fiveFlatMapLatest(.just(index)).subscribe(onNext: { consume($0) })
        }
    },
    Row("from(array), an element", ns: 40, instructions: 175, allocations: 0) { count in
        _ = Observable.from(Array(0..<count)).subscribe(onNext: { consume($0) })
    },
    Row("seven nested 4-way combineLatest, an event", ns: 450, instructions: 3_650, allocations: 0) { count in
        pump(count, sevenCombineLatest)
    },
    Row("seven nested 4-way combineLatest, a subscription", ns: 4_000, instructions: 41_600, allocations: 64)
    {
        count in
        for index in 0..<count {
            _ = sevenCombineLatest(.just(index)).subscribe(onNext: { consume($0) })
        }
    },
]

private let subjectRows: [Row] = [
    Row("subject pump, an event", ns: 60, instructions: 195, allocations: 0) { count in
        pump(count) { $0 }
    },
    Row("subject pump to two observers, an event", ns: 80, instructions: 320, allocations: 0) { count in
        let subject = PublishSubject<Int>()
        let bag = [
            subject.subscribe(onNext: { consume($0) }), subject.subscribe(onNext: { consume($0 + 1) }),
        ]
        for index in 0..<count { subject.onNext(index) }
        for subscription in bag { subscription.dispose() }
    },
    Row("subject, created, subscribed, fed, disposed", ns: 600, instructions: 3_000, allocations: 6) {
        count in
        for index in 0..<count {
            let subject = PublishSubject<Int>()
            let subscription = subject.subscribe(onNext: { consume($0) })
            subject.onNext(index)
            subscription.dispose()
        }
    },
    Row("share to two observers, an event", ns: 200, instructions: 535, allocations: 0) { count in
        let subject = PublishSubject<Int>()
        let shared = subject.share()
        let bag = [
            shared.subscribe(onNext: { consume($0) }), shared.subscribe(onNext: { consume($0 + 1) }),
        ]
        for index in 0..<count { subject.onNext(index) }
        for subscription in bag { subscription.dispose() }
    },
    Row("share, a first subscription", ns: 1_000, instructions: 6_240, allocations: 8) { count in
        let shared = PublishSubject<Int>().share()
        for _ in 0..<count { shared.subscribe(onNext: { consume($0) }).dispose() }
    },
    Row("share, a further subscription", ns: 600, instructions: 2_590, allocations: 4) { count in
        let shared = PublishSubject<Int>().share()
        let first = shared.subscribe(onNext: { consume($0) })
        for _ in 0..<count { shared.subscribe(onNext: { consume($0) }).dispose() }
        first.dispose()
    },
]

/// Sends events through an existing subscription.
private func pump(_ count: Int, _ pipeline: (Observable<Int>) -> Observable<Int>) {
    let subject = PublishSubject<Int>()
    let subscription = pipeline(subject).subscribe(onNext: { consume($0) })
    for index in 0..<count { subject.onNext(index) }
    subscription.dispose()
}

private func sixMapFilter(_ source: Observable<Int>) -> Observable<Int> {
    source
        .map { $0 + 1 }.filter { $0 != .max }.map { $0 + 1 }.filter { $0 != .max }
        .map { $0 + 1 }.filter { $0 != .max }.map { $0 + 1 }.filter { $0 != .max }
        .map { $0 + 1 }.filter { $0 != .max }.map { $0 + 1 }.filter { $0 != .max }
}

private func fiveFlatMap(_ source: Observable<Int>) -> Observable<Int> {
    source
        .flatMap { Observable.just($0) }.flatMap { Observable.just($0) }.flatMap { Observable.just($0) }
        .flatMap { Observable.just($0) }.flatMap { Observable.just($0) }
}

private func fiveFlatMapLatest(_ source: Observable<Int>) -> Observable<Int> {
    source
        .flatMapLatest { Observable.just($0) }.flatMapLatest { Observable.just($0) }
        .flatMapLatest { Observable.just($0) }.flatMapLatest { Observable.just($0) }
        .flatMapLatest { Observable.just($0) }
}

private func four(_ a: Observable<Int>, _ b: Observable<Int>, _ c: Observable<Int>, _ d: Observable<Int>)
    -> Observable<Int>
{
    .combineLatest(a, b, c, d) { $0 + $1 + $2 + $3 }
}

private func sevenCombineLatest(_ source: Observable<Int>) -> Observable<Int> {
    var joined = source
    for _ in 0..<7 { joined = four(joined, .just(1), .just(2), .just(3)) }
    return joined
}
