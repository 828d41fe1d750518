import Dispatch
import Locking
import Rx
import RxBlocking
import Testing

@Suite("Blocking")
struct BlockingTests {
    private let queue = SerialDispatchQueueScheduler(qos: .default)

    private var later: Observable<Int> {
        Observable.of(1, 2, 3, scheduler: queue)
    }

    @Test("Each operation waits for values that another thread sends")
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

    @Test("On the thread of an event loop every operation fails with a message, and does not subscribe")
    func onLoop() {
        let subscribed = Lock(0)
        let blocking = Observable<Int>.deferred {
            subscribed.withLock { $0 += 1 }
            return .just(1)
        }
        .toBlocking()
        let message =
            "toBlocking() would block the event loop on whose thread it was called: "
            + "use operators such as flatMap there, or call it on another thread"
        NonblockingThread.run {
            #expect(failure { _ = try blocking.toArray() } == message)
            #expect(failure { _ = try blocking.first() } == message)
            #expect(failure { _ = try blocking.last() } == message)
            #expect(failure { _ = try blocking.single() } == message)
            #expect(failure { _ = try blocking.single { $0 == 1 } } == message)
            guard case .failed(let elements, let error) = blocking.materialize() else {
                Issue.record("the stream completed")
                return
            }
            #expect(elements.isEmpty && "\(error)" == message)
        }
        #expect(subscribed.withLock { $0 } == 0)
        #expect((try? blocking.first()) == 1)
    }

    @Test("An empty stream has no first or last value, and single requires exactly one value")
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

    /// The description of the error that `body` throws; empty if it throws none.
    private func failure(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("Operations throw the stream's error, and materialize returns it with the earlier values")
    func failing() throws {
        let failing = later.concat(Observable.error(Failure())).toBlocking(timeout: 60)
        #expect(throws: Failure.self) { try failing.toArray() }
        #expect(throws: Failure.self) { try failing.last() }
        #expect(throws: Failure.self) { try later.toBlocking().single { _ in throw Failure() } }
        #expect(try failing.first() == 1)
        guard case .failed(let elements, let error) = failing.materialize() else {
            Issue.record("the stream completed")
            return
        }
        #expect(elements == [1, 2, 3])
        #expect(error is Failure)
        guard case .completed(let all) = later.toBlocking(timeout: 60).materialize() else {
            Issue.record("the stream failed")
            return
        }
        #expect(all == [1, 2, 3])
    }

    @Test("A timeout fails the operation, keeps the earlier values, and disposes the subscription")
    func timedOut() throws {
        let subject = PublishSubject<Int>()
        let silent = subject.startWith(1).toBlocking(timeout: 0.01)
        #expect(failure { _ = try silent.last() } == "Sequence timeout.")
        #expect(!subject.hasObservers)
        guard case .failed(let elements, RxError.timeout) = silent.materialize() else {
            Issue.record("the operation did not time out")
            return
        }
        #expect(elements == [1])
        #expect(!subject.hasObservers)
        let none = Observable<Int>.never().toBlocking(timeout: -1)
        #expect(failure { _ = try none.first() } == "Sequence timeout.")
        #expect(try Observable.just(1).toBlocking(timeout: 0).first() == 1)
    }

    @Test("first() returns at the first value and disposes the subscription")
    func firstDisposes() throws {
        let endless = Observable<Int>.interval(.milliseconds(1), scheduler: queue)
        #expect(try endless.toBlocking(timeout: 60).first() == 0)
        #expect(try Observable.just(7).concat(Observable.never()).toBlocking().first() == 7)
        #expect(throws: RxError.self) { try endless.toBlocking(timeout: 60).single() }
        let subject = BehaviorSubject(value: 7)
        #expect(try subject.toBlocking().first() == 7)
        #expect(!subject.hasObservers)
    }

    @Test("Blocking inside scheduled work does not deadlock")
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
