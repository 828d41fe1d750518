import Foundation
import Rx
import RxVirtualTime

/// Operations whose cost must not grow with their number: each figure is for one of 20 000.
let growthRows: [Row] = [
    Row("virtual time, one of many timers", ns: 4_500, instructions: nil, allocations: 5) { count in
        let scheduler = ManualScheduler()
        var state: UInt64 = 1
        for _ in 0..<count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            _ = scheduler.scheduleRelative((), dueTime: .nanoseconds(Int(state >> 40))) {
                consume(1)
                return Disposables.create()
            }
        }
        scheduler.start()
    },
    Row("virtual time, one of many cancelled timers", ns: 4_500, instructions: nil, allocations: 5) {
        count in
        let scheduler = ManualScheduler()
        let timers = (0..<count).map { index in
            scheduler.scheduleRelative((), dueTime: .nanoseconds(index)) { Disposables.create() }
        }
        for timer in timers.reversed() { timer.dispose() }
        scheduler.start()
    },
    Row("merge, one of many inner streams that end", ns: 2_000, instructions: nil, allocations: 8) { count in
        let inners = (0..<count).map { _ in PublishSubject<Int>() }
        let subscription = Observable.from(inners).merge().subscribe(onNext: { consume($0) })
        // From both ends to the middle, so that no search order has an advantage.
        for index in 0..<count / 2 {
            inners[index].onCompleted()
            inners[count - 1 - index].onCompleted()
        }
        subscription.dispose()
    },
    Row("share, joined and left by eight threads", ns: 2_000, instructions: nil, allocations: 8) { count in
        let shared = PublishSubject<Int>().share()
        onEightThreads {
            for _ in 0..<count / 8 { shared.subscribe(onNext: { consume($0) }).dispose() }
        }
    },
    Row("a subject, joined and left by eight threads", ns: 2_000, instructions: nil, allocations: 6) {
        count in
        let subject = PublishSubject<Int>()
        onEightThreads {
            for _ in 0..<count / 8 { subject.subscribe(onNext: { consume($0) }).dispose() }
        }
    },
]

/// Runs `body` on eight threads at once. A dispatch queue would use only as many as there are processors.
private func onEightThreads(_ body: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    for _ in 0..<8 {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }
    group.wait()
}
