import Dispatch
import Rx

// Top-level code is the main actor's, and so would be every closure here that a library does not declare `@Sendable`: run
// elsewhere, as `map`'s is, it would stop the program.
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
