import Dispatch
import Rx

// Top-level code is isolated to the main actor, and so is every closure here that the library does not
// declare `@Sendable`. The closure of `map` runs on another thread, where an isolated closure would trap.
let ended = DispatchSemaphore(value: 0)
let subscription = Observable.just(1)
    .observe(on: SerialDispatchQueueScheduler(qos: .background))
    .map { $0 + 1 }
    .subscribe(
        onNext: { print("next", $0) },
        onCompleted: { print("completed") },
        onDisposed: { ended.signal() })
guard ended.wait(timeout: .now() + 20) == .success else { fatalError("the subscription was not disposed") }
subscription.dispose()
