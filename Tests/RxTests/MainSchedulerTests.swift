import Dispatch
import Rx
import RxTesting
import TestWaiting
import Testing

/// Schedulers of the main queue, which the test process serves.
@Suite("Schedulers of the main queue", .noLeaks)
struct MainSchedulerTests {
    /// Waits until the main queue has run the work enqueued so far.
    private func mainQueueServed() async throws {
        try await withDeadline("the main queue has not run the work") { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }

    @Test("On the main queue, work runs at once unless other work is pending")
    func inline() async throws {
        let scheduler = MainScheduler()
        let log = Log<String>()
        let note: @Sendable (String) -> any Disposable = { text in
            log.add(text)
            return Disposables.create()
        }
        try await withDeadline("the queue has not run the work") { continuation in
            DispatchQueue.main.async {
                _ = scheduler.schedule("outer") { text in
                    _ = note(text)
                    _ = scheduler.schedule("inner", action: note)
                    log.add("outer returns")
                    return Disposables.create()
                }
                _ = scheduler.schedule("after", action: note)
                log.add("turn over")
                continuation.resume()
            }
        }
        try await mainQueueServed()
        #expect(log.entries == ["outer", "outer returns", "turn over", "inner", "after"])
    }

    @Test("From another thread, work hops to the main queue, and disposed work does not run")
    func hops() async throws {
        let log = Log<String>()
        for scheduler in [MainScheduler.instance, ConcurrentMainScheduler.instance] as [any SchedulerType] {
            let isMain = try await withDeadline("the work did not run") { continuation in
                DispatchQueue.global().async {
                    _ = scheduler.schedule(()) {
                        MainScheduler.ensureExecutingOnScheduler()
                        continuation.resume(returning: true)
                        return Disposables.create()
                    }
                }
            }
            #expect(isMain)
            try await withDeadline("the queue has not run the work") { continuation in
                DispatchQueue.main.async {
                    DispatchQueue.global().sync {}
                    let pending = MainScheduler.asyncInstance.schedule(()) {
                        log.add("ran")
                        return Disposables.create()
                    }
                    pending.dispose()
                    continuation.resume()
                }
            }
        }
        try await mainQueueServed()
        #expect(log.entries == [])
    }

    @Test("ensureRunningOnMainThread does nothing on Linux, like RxSwift's")
    func anyThread() async throws {
        try await withDeadline("the queue has not run the work") { continuation in
            DispatchQueue.global().async {
                MainScheduler.ensureRunningOnMainThread(errorMessage: "elsewhere")
                continuation.resume()
            }
        }
    }

    @Test(
        "The asynchronous instance always enqueues work, and the concurrent one runs it at once on the main queue"
    )
    func kinds() async throws {
        let log = Log<String>()
        try await withDeadline("the queue has not run the work") { continuation in
            DispatchQueue.main.async {
                _ = MainScheduler.asyncInstance.schedule(()) {
                    log.add("later")
                    return Disposables.create()
                }
                _ = ConcurrentMainScheduler.instance.schedule(()) {
                    _ = ConcurrentMainScheduler.instance.schedule(()) {
                        log.add("nested")
                        return Disposables.create()
                    }
                    log.add("now")
                    return Disposables.create()
                }
                continuation.resume()
            }
        }
        try await mainQueueServed()
        #expect(log.entries == ["nested", "now", "later"])
    }

    @Test(
        "Values observed on the main scheduler arrive there in order, before the completion",
        arguments: [0, 1])
    func observed(_ kind: Int) async throws {
        let scheduler: any SchedulerType = kind == 0 ? MainScheduler.instance : MainScheduler.asyncInstance
        let log = Log<Int>()
        try await withDeadline("\(log.entries.count) of 500 values") { continuation in
            _ = Observable.range(
                start: 0, count: 500, scheduler: ConcurrentDispatchQueueScheduler(qos: .default)
            ).observe(on: scheduler).subscribe(
                onNext: {
                    MainScheduler.ensureExecutingOnScheduler()
                    log.add($0)
                }, onCompleted: { continuation.resume() })
        }
        #expect(log.entries == Array(0..<500))
    }

    @Test("Timers and intervals fire on the main queue")
    func timed() async throws {
        for scheduler in [MainScheduler.instance, ConcurrentMainScheduler.instance] as [any SchedulerType] {
            let log = Log<Int>()
            try await withDeadline("values \(log.entries)") { continuation in
                _ = Observable<Int>.interval(.milliseconds(1), scheduler: scheduler).take(3)
                    .concat(Observable<Int>.timer(.milliseconds(1), scheduler: scheduler))
                    .subscribe(
                        onNext: {
                            MainScheduler.ensureExecutingOnScheduler()
                            log.add($0)
                        }, onCompleted: { continuation.resume() })
            }
            #expect(log.entries == [0, 1, 2, 0])
        }
    }

    @Test("isScheduleRequired is false only while work runs on the thread")
    func isScheduleRequired() {
        let log = Log<Bool>()
        let note: @Sendable () -> Void = { log.add(CurrentThreadScheduler.isScheduleRequired) }
        note()
        _ = CurrentThreadScheduler.instance.schedule(()) {
            note()
            let other = DispatchQueue(label: "another thread")
            let asked = Signal()
            other.async {
                note()
                asked.fire()
            }
            do { try asked.waitBlocking() } catch { Issue.record(error) }
            return Disposables.create()
        }
        note()
        #expect(log.entries == [true, false, true, true])
    }
}
