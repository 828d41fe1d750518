import Locking
import Rx
import Testing

final class Log<Entry: Sendable>: Sendable {
    private let storage = Lock<[Entry]>([])

    func add(_ entry: Entry) {
        storage.withLock { $0.append(entry) }
    }

    var entries: [Entry] { storage.withLock { $0 } }
}

@Suite("A pipeline")
struct PipelineTests {
    @Test("Two singles are transformed, joined and delivered")
    func joins() {
        let log = Log<String>()
        let first = Single<Int>.create { observer in
            observer(.success(1))
            return Disposables.create()
        }
        let second = Single<Int>.just(2).map { $0 * 10 }.flatMap { Single.just($0 + 1) }
        let failing = Single<Int>.error(RxError.noElements).catch { _ in .just(7) }
        _ = Observable.combineLatest(first, second, failing) { "\($0) \($1) \($2)" }
            .subscribe(
                onNext: { log.add($0) }, onError: { log.add("\($0)") }, onCompleted: { log.add("done") })
        #expect(log.entries == ["1 21 7", "done"])
    }
}
