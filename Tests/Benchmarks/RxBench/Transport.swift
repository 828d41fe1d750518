import Dispatch
import LoopScheduling
import Rx

final class PendingCall: Disposable, @unchecked Sendable {
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
    var pending: [PendingCall] = []
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

/// A call that is itself the source, as in HTTPOutbound.
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
