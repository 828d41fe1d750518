import Dispatch
import Rx

/// What a transport would be asked for: the call that waits for its answer.
final class PendingCall: Disposable, @unchecked Sendable {
    @exclusivity(unchecked)
    private var callback: (@Sendable (SingleEvent<Int>) -> Void)?

    init(_ callback: @escaping @Sendable (SingleEvent<Int>) -> Void) {
        self.callback = callback
    }

    func answer(_ value: Int) {
        callback?(.success(value))
    }

    func dispose() {
        callback = nil
    }
}

/// Confined to the benchmark's thread.
final class Transport: @unchecked Sendable {
    @exclusivity(unchecked)
    var pending: [PendingCall] = []
    @exclusivity(unchecked)
    var calls: [EmittingCall] = []
    let loop = LoopScheduler()

    func request(_ id: Int) -> Single<Int> {
        .create { [self] observer in
            let call = PendingCall(observer)
            pending.append(call)
            return call
        }
    }

    func chart(_ id: Int) -> Single<Int> {
        request(id).retry(3).timeout(.seconds(10), scheduler: loop).map { $0 + 1 }.map { $0 * 2 }.catch { _ in
            .just(0)
        }
    }

    func charts() -> any Disposable {
        Observable.combineLatest(chart(1), chart(2)) { $0 + $1 }
            .subscribe(onNext: { consume($0) })
    }

    func answerAll() {
        for index in pending.indices { pending[index].answer(index) }
        pending.removeAll(keepingCapacity: true)
    }
}

/// A call that is itself the source, as HTTPOutbound's are.
final class EmittingCall: Emitter<Int>, @unchecked Sendable {
    private let transport: Transport

    init(_ transport: Transport) {
        self.transport = transport
        super.init()
    }

    override func copy() -> Emitter<Int> {
        EmittingCall(transport)
    }

    override func begin() {
        transport.calls.append(self)
    }
}

extension Transport {
    func emittingChart() -> Single<Int> {
        Single.emitting(EmittingCall(self)).retry(3).timeout(.seconds(10), scheduler: loop)
            .map { $0 + 1 }.map { $0 * 2 }.catch { _ in .just(0) }
    }

    func emittingCharts() -> any Disposable {
        Observable.combineLatest(emittingChart(), emittingChart()) { $0 + $1 }.subscribe(onNext: {
            consume($0)
        })
    }

    func answerCalls() {
        for index in calls.indices { calls[index].onLast(index) }
        calls.removeAll(keepingCapacity: true)
    }
}

func sixMapFilter(_ source: Observable<Int>) -> Observable<Int> {
    source
        .map { $0 + 1 }.filter { $0 != .max }.map { $0 + 1 }.filter { $0 != .max }
        .map { $0 + 1 }.filter { $0 != .max }.map { $0 + 1 }.filter { $0 != .max }
        .map { $0 + 1 }.filter { $0 != .max }.map { $0 + 1 }.filter { $0 != .max }
}

func fiveFlatMap(_ source: Observable<Int>) -> Observable<Int> {
    source
        .flatMap { Observable.just($0) }.flatMap { Observable.just($0) }.flatMap { Observable.just($0) }
        .flatMap { Observable.just($0) }.flatMap { Observable.just($0) }
}

func four(_ a: Observable<Int>, _ b: Observable<Int>, _ c: Observable<Int>, _ d: Observable<Int>)
    -> Observable<Int>
{
    .combineLatest(a, b, c, d) { $0 + $1 + $2 + $3 }
}

func sevenCombineLatest(_ source: Observable<Int>) -> Observable<Int> {
    var joined = source
    for _ in 0..<7 { joined = four(joined, .just(1), .just(2), .just(3)) }
    return joined
}

let rows: [Row] = [
    Row(name: "charts pipeline, built for each request", mostNanoseconds: 1_500, mostAllocations: 22) {
        count in
        let transport = Transport()
        for _ in 0..<count {
            let subscription = transport.charts()
            transport.answerAll()
            subscription.dispose()
        }
    },
    Row(name: "charts pipeline, the call is the source", mostNanoseconds: 1_200, mostAllocations: 16) {
        count in
        let transport = Transport()
        for _ in 0..<count {
            let subscription = transport.emittingCharts()
            transport.answerCalls()
            subscription.dispose()
        }
    },
    Row(name: "Single.just.map.subscribe", mostNanoseconds: 250, mostAllocations: 4) { count in
        for index in 0..<count {
            _ = Single.just(index).map { $0 + 1 }.subscribe(onSuccess: { consume($0) })
        }
    },
    Row(name: "six map+filter, an event", mostNanoseconds: 120, mostAllocations: 0) { count in
        let subject = PublishSubject<Int>()
        let subscription = sixMapFilter(subject).subscribe(onNext: { consume($0) })
        for index in 0..<count { subject.onNext(index) }
        subscription.dispose()
    },
    Row(name: "six map+filter, a subscription", mostNanoseconds: 1_300, mostAllocations: 18) { count in
        for index in 0..<count {
            _ = sixMapFilter(.just(index)).subscribe(onNext: { consume($0) })
        }
    },
    Row(name: "five flatMap, an event", mostNanoseconds: 400, mostAllocations: 6) { count in
        let subject = PublishSubject<Int>()
        let subscription = fiveFlatMap(subject).subscribe(onNext: { consume($0) })
        for index in 0..<count { subject.onNext(index) }
        subscription.dispose()
    },
    Row(name: "five flatMap, a subscription", mostNanoseconds: 1_200, mostAllocations: 18) { count in
        for index in 0..<count {
            _ = fiveFlatMap(.just(index)).subscribe(onNext: { consume($0) })
        }
    },
    Row(name: "subject pump, an event", mostNanoseconds: 60, mostAllocations: 0) { count in
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe(onNext: { consume($0) })
        for index in 0..<count { subject.onNext(index) }
        subscription.dispose()
    },
    Row(name: "from(array), an element", mostNanoseconds: 40, mostAllocations: 0) { count in
        _ = Observable.from(Array(0..<count)).subscribe(onNext: { consume($0) })
    },
    Row(name: "seven nested 4-way combineLatest, an event", mostNanoseconds: 450, mostAllocations: 0) {
        count in
        let subject = PublishSubject<Int>()
        let subscription = sevenCombineLatest(subject).subscribe(onNext: { consume($0) })
        for index in 0..<count { subject.onNext(index) }
        subscription.dispose()
    },
    Row(name: "seven nested 4-way combineLatest, a subscription", mostNanoseconds: 4_000, mostAllocations: 64)
    { count in
        for index in 0..<count {
            _ = sevenCombineLatest(.just(index)).subscribe(onNext: { consume($0) })
        }
    },
]
