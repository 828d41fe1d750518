import Dispatch
import Rx

// Top-level code is isolated to the main actor, and so is every closure here that the library does not declare `@Sendable`. If
// such a closure ran elsewhere, as the one of `map` does, the program would trap.
let ended = DispatchSemaphore(value: 0)
let subscription = Observable.just(1)
    .observe(on: SerialDispatchQueueScheduler(qos: .background))
    .map { $0 + 1 }
    .subscribe(
        onNext: { print("next", $0) },
        onCompleted: { print("completed") },
        onDisposed: { ended.signal() })
ended.wait()
subscription.dispose()
