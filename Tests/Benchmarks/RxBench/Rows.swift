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
    Row(name: "Single.just.map.subscribe", mostNanoseconds: 250, mostAllocations: 4) { count in
        for index in 0..<count {
            _ = Single.just(index).map { $0 + 1 }.subscribe(onSuccess: { consume($0) })
        }
    },
]
