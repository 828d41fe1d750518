import Dispatch
import EventIO
import LoopScheduling
import Rx

/// Rows with two threads. Their times are elapsed times, and contention makes their instructions vary.
let threadRows: [Row] = [
    Row("observe(on:) from loop to loop, of many events", ns: 400, instructions: nil, allocations: 1) {
        count in
        withLoops { first, second in
            let done = DispatchSemaphore(value: 0)
            let subject = PublishSubject<Int>()
            let subscription = subject.observe(on: second).subscribe(
                onNext: { consume($0) }, onCompleted: { done.signal() })
            first.execute {
                for index in 0..<count { subject.onNext(index) }
                subject.onCompleted()
            }
            done.wait()
            subscription.dispose()
        }
    },
    Row("observe(on:) from loop to loop, one at a time", ns: 40_000, instructions: nil, allocations: 6) {
        count in
        withLoops { first, second in
            let done = DispatchSemaphore(value: 0)
            let subject = PublishSubject<Int>()
            // A round trip counts as two events.
            let subscription = subject.observe(on: second).observe(on: first).subscribe(onNext: { left in
                if left > 0 { subject.onNext(left - 2) } else { done.signal() }
            })
            first.execute { subject.onNext(count) }
            done.wait()
            subscription.dispose()
        }
    },
    Row("subject fed by two threads, an event", ns: 100, instructions: nil, allocations: 0) { count in
        let subject = PublishSubject<Int>()
        let subscription = subject.subscribe(onNext: { consume($0) })
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            for index in 0..<count / 2 { subject.onNext(index) }
        }
        subscription.dispose()
    },
]

private func withLoops(_ body: (EventLoop, EventLoop) -> Void) {
    do {
        let group = try EventLoopGroup(count: 2)
        body(group.loops[0], group.loops[1])
        group.shutdown()
    } catch {
        fail("no event loops: \(error)")
    }
}
