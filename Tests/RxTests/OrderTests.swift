import Dispatch
import Locking
import Rx
import RxTesting
import Testing

@Suite("The order of events in a subscription", .noLeaks)
struct OrderTests {
    private func hooked(_ source: Observable<Int>, _ log: Log<String>) -> Observable<Int> {
        source.do(
            onNext: { log.add("n\($0)") }, onCompleted: { log.add("c") },
            afterCompleted: { log.add("afterCompleted") },
            onSubscribe: { log.add("s") }, onSubscribed: { log.add("onSubscribed") },
            onDispose: { log.add("do.onDispose") })
    }

    private func subscribe(_ source: Observable<Int>, _ log: Log<String>) -> any Disposable {
        source.subscribe(
            onNext: { log.add("N\($0)") }, onCompleted: { log.add("C") },
            onDisposed: { log.add("onDisposed") })
    }

    @Test(
        "With a synchronous source, onSubscribed runs after the end, and onDisposed before the source is disposed"
    )
    func synchronous() {
        let log = Log<String>()
        let source = Observable<Int>.create { observer in
            observer.onNext(1)
            observer.onCompleted()
            return Disposables.create { log.add("sourceDispose") }
        }
        _ = subscribe(hooked(source, log), log)
        #expect(
            log.entries == [
                "s", "n1", "N1", "c", "C", "onDisposed", "afterCompleted", "sourceDispose", "onSubscribed",
                "do.onDispose",
            ])
    }

    @Test("On an asynchronous completion, the source is disposed after afterCompleted has run")
    func asynchronous() {
        let log = Log<String>()
        let subject = PublishSubject<Int>()
        let source = Observable<Int>.create { observer in
            let inner = subject.subscribe(observer)
            return Disposables.create(inner, Disposables.create { log.add("sourceDispose") })
        }
        _ = subscribe(hooked(source, log), log)
        subject.onNext(1)
        subject.onCompleted()
        #expect(
            log.entries == [
                "s", "onSubscribed", "n1", "N1", "c", "C", "onDisposed", "afterCompleted", "sourceDispose",
                "do.onDispose",
            ])
    }

    @Test("On disposal, the source is disposed before onDispose and onDisposed run")
    func disposal() {
        let log = Log<String>()
        let source = Observable<Int>.create { _ in Disposables.create { log.add("sourceDispose") } }
        subscribe(hooked(source, log), log).dispose()
        #expect(log.entries == ["s", "onSubscribed", "sourceDispose", "do.onDispose", "onDisposed"])
    }

    @Test("Events after the end are ignored")
    func grammar() {
        let log = Log<String>()
        _ = log.record(
            Observable<Int>.create { observer in
                observer.onNext(1)
                observer.onError(TestError())
                observer.onNext(2)
                observer.onCompleted()
                observer.onError(TestError())
                return Disposables.create()
            })
        #expect(log.entries == ["1", "error failed"])
    }

    @Test("Disposing during a delivery ends the stream")
    func disposedInside() {
        let log = Log<String>()
        let serial = SerialDisposable()
        let subject = PublishSubject<Int>()
        serial.disposable = subject.subscribe(
            onNext: { value in
                log.add("\(value)")
                serial.dispose()
            }, onDisposed: { log.add("disposed") })
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.entries == ["1", "disposed"])
        #expect(!subject.hasObservers)
    }

    @Test("Merged synchronous sequences take turns, one value each")
    func turns() {
        #expect(
            events(Observable.merge(Observable.of(1, 2, 3), Observable.of(10, 20, 30)))
                == ["1", "10", "2", "20", "3", "30", "done"])
        #expect(
            events(Observable.merge(Observable.from([1, 2]), Observable.range(start: 10, count: 2)))
                == ["1", "10", "2", "11", "done"])
        // A stream of a single value takes no turns.
        #expect(events(Observable.merge(Observable.of(1, 2), Observable.just(9))) == ["9", "1", "2", "done"])
    }

    @Test("Work scheduled on the current thread waits for the work in progress")
    func trampoline() {
        let log = Log<String>()
        #expect(CurrentThreadScheduler.isScheduleRequired)
        _ = CurrentThreadScheduler.instance.schedule(()) {
            log.add("outer \(CurrentThreadScheduler.isScheduleRequired)")
            let inner = CurrentThreadScheduler.instance.schedule(()) {
                log.add("inner")
                return Disposables.create()
            }
            let dropped = CurrentThreadScheduler.instance.schedule(()) {
                log.add("dropped")
                return Disposables.create()
            }
            dropped.dispose()
            log.add("end")
            return inner
        }
        #expect(log.entries == ["outer false", "end", "inner"])
        #expect(CurrentThreadScheduler.isScheduleRequired)
    }

    #if DEBUG
        @Test("A debug build stops if an event, a subscription or a disposal happens under a lock")
        func underALock() async {
            await #expect(processExitsWith: .failure) {
                let lock = Lock(0)
                let subject = PublishSubject<Int>()
                _ = subject.subscribe()
                lock.withLock { subject.onNext($0) }
            }
            await #expect(processExitsWith: .failure) {
                let lock = Lock(0)
                lock.withLock { _ in _ = Observable<Int>.never().subscribe() }
            }
            await #expect(processExitsWith: .failure) {
                let lock = Lock(0)
                let subscription = Observable<Int>.never().subscribe()
                lock.withLock { _ in subscription.dispose() }
            }
        }
    #endif

    @Test("Closures written on the main actor run on another thread without a trap")
    @MainActor func mainActorClosures() async throws {
        // As in a main.swift in language mode 6, the closures are written in main-actor code and run
        // elsewhere.
        let background = SerialDispatchQueueScheduler(qos: .background)
        let value = try await Observable.just(1).observe(on: background).map { $0 + 1 }
            .filter { $0 > 0 }.flatMap { Observable.just($0 * 10) }
            .do(onNext: { _ in }).asSingle().value
        #expect(value == 20)
    }
}
