import Dispatch
import Rx
import RxBlocking
import Testing

/// Streams that a thread waits for.
@Suite("Blocking")
struct BlockingTests {
    private let queue = SerialDispatchQueueScheduler(qos: .default)

    private var later: Observable<Int> {
        Observable.of(1, 2, 3, scheduler: queue)
    }

    @Test("The values of a stream on another thread are waited for")
    func values() throws {
        let blocking = later.toBlocking(timeout: 60)
        #expect(try blocking.toArray() == [1, 2, 3])
        #expect(try blocking.first() == 1)
        #expect(try blocking.last() == 3)
        #expect(try blocking.single { $0 == 2 } == 2)
        #expect(try later.take(1).toBlocking().single() == 1)
        #expect(try Single.just(4).toBlocking().single() == 4)
        #expect(try Completable.empty().toBlocking().toArray().isEmpty)
    }

    @Test("A stream without a value has no first and no last, and no single one")
    func empty() throws {
        let blocking = Observable<Int>.empty().toBlocking()
        #expect(try blocking.toArray() == [])
        #expect(try blocking.first() == nil)
        #expect(try blocking.last() == nil)
        #expect(failure { _ = try blocking.single() } == "Sequence doesn't contain any elements.")
        #expect(
            failure { _ = try Observable.of(1, 2).toBlocking().single() }
                == "Sequence contains more than one element.")
        #expect(
            failure { _ = try Observable.of(1, 2).toBlocking().single { $0 > 2 } }
                == "Sequence doesn't contain any elements.")
    }

    /// What `body` throws, as text.
    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("An error is thrown, and materialized after the values before it")
    func failing() throws {
        let failing = later.concat(Observable.error(Failure())).toBlocking(timeout: 60)
        #expect(throws: Failure.self) { try failing.toArray() }
        #expect(throws: Failure.self) { try failing.last() }
        #expect(throws: Failure.self) { try later.toBlocking().single { _ in throw Failure() } }
        #expect(try failing.first() == 1)
        guard case .failed(let elements, let error) = failing.materialize() else {
            Issue.record("it completed")
            return
        }
        #expect(elements == [1, 2, 3])
        #expect(error is Failure)
        guard case .completed(let all) = later.toBlocking(timeout: 60).materialize() else {
            Issue.record("it failed")
            return
        }
        #expect(all == [1, 2, 3])
    }

    @Test("When the time is over it fails, keeps what came, and disposes the subscription")
    func timedOut() throws {
        let subject = PublishSubject<Int>()
        let silent = subject.startWith(1).toBlocking(timeout: 0.01)
        #expect(failure { _ = try silent.last() } == "Sequence timeout.")
        #expect(!subject.hasObservers)
        guard case .failed(let elements, RxError.timeout) = silent.materialize() else {
            Issue.record("it did not time out")
            return
        }
        #expect(elements == [1])
        #expect(!subject.hasObservers)
        let none = Observable<Int>.never().toBlocking(timeout: -1)
        #expect(failure { _ = try none.first() } == "Sequence timeout.")
        #expect(try Observable.just(1).toBlocking(timeout: 0).first() == 1)
    }

    @Test("The first value does not wait for another, and its subscription has ended when it is there")
    func firstDisposes() throws {
        let log = Log<String>()
        let endless = Observable<Int>.interval(.milliseconds(1), scheduler: queue)
            .do(onDispose: { log.add("disposed") })
        #expect(try endless.toBlocking(timeout: 60).first() == 0)
        #expect(try Observable.just(7).concat(Observable.never()).toBlocking().first() == 7)
        #expect(throws: RxError.self) { try endless.toBlocking(timeout: 60).single() }
    }

    @Test("Waiting inside of scheduled work does not wait for its own thread")
    func nested() {
        let log = Log<String>()
        _ = Observable.of(1, 2).subscribe(onNext: { value in
            let inner = try? Observable.of(value, value * 10).toBlocking(timeout: 60).toArray()
            log.add("\(inner ?? [])")
        })
        #expect(log.entries == ["[1, 10]", "[2, 20]"])
        #expect(CurrentThreadScheduler.isScheduleRequired)
    }
}
