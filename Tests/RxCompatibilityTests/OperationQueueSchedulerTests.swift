import Foundation
import RxCompatibility
import TestWaiting
import Testing

@Suite("OperationQueueScheduler")
struct OperationQueueSchedulerTests {
    private func queue(suspended: Bool = false) -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = suspended
        return queue
    }

    private func numbers(_ count: Int, on scheduler: OperationQueueScheduler) async throws -> [Int] {
        var seen: [Int] = []
        for try await number in Observable.range(start: 0, count: count).observe(on: scheduler).values {
            seen.append(number)
        }
        return seen
    }

    @Test("Actions run on the queue, and observed values keep their order on serial and concurrent queues")
    func runs() async throws {
        let serial = OperationQueueScheduler(operationQueue: queue())
        #expect(try await numbers(200, on: serial) == Array(0..<200))
        #expect(
            try await numbers(200, on: OperationQueueScheduler(operationQueue: OperationQueue()))
                == Array(0..<200))
        let current = try await Observable<ObjectIdentifier?>.create { observer in
            observer.onNext(OperationQueue.current.map { ObjectIdentifier($0) })
            observer.onCompleted()
            return Disposables.create()
        }.subscribe(on: serial).asSingle().value
        #expect(current == ObjectIdentifier(serial.operationQueue))
    }

    @Test("An action that is disposed before its operation starts does not run")
    func disposed() async throws {
        let suspended = queue(suspended: true)
        let scheduler = OperationQueueScheduler(operationQueue: suspended)
        try await confirmation("only the action that was not disposed runs", expectedCount: 1) { confirm in
            let first = scheduler.schedule(()) {
                confirm()
                return Disposables.create()
            }
            _ = scheduler.schedule(()) {
                confirm()
                return Disposables.create()
            }
            first.dispose()
            suspended.isSuspended = false
            try await withDeadline("the queue has not run its operations") { continuation in
                suspended.addBarrierBlock { continuation.resume() }
            }
        }
    }

    @Test("The waiting action with the highest priority runs first")
    func priority() async throws {
        let suspended = queue(suspended: true)
        let order = PublishSubject<String>()
        let seen = order.take(2).toArray()
        async let result = seen.value
        try await poll(while: !order.hasObservers) { "no subscription" }
        for (name, priority) in [("low", Operation.QueuePriority.low), ("high", .veryHigh)] {
            _ = OperationQueueScheduler(operationQueue: suspended, queuePriority: priority).schedule(name) {
                order.onNext($0)
                return Disposables.create()
            }
        }
        suspended.isSuspended = false
        #expect(try await result == ["high", "low"])
    }
}
