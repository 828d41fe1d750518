import Foundation
import Rx

// Uses every overload of every public name of Rx once, in mode 6 with warnings as errors. The compiler is the
// test; nothing here runs.

struct Failure: Error {}

final class Owner: Sendable {}

final class Mutable: @unchecked Sendable {
    var text = ""
}

extension Mutable: ReactiveCompatible {}

/// Accepts a value and fixes its type where the type matters.
func use<Value: Sendable>(_ value: Value) {}

/// Disposes of a subscription.
func use(_ disposable: any Disposable) {
    disposable.dispose()
}

let scheduler: any SchedulerType = SerialDispatchQueueScheduler(qos: .background)
let numbers = Observable.of(1, 2, 3)
let texts = Observable.of("a", "b")
let flags = Observable.just(true)
let single = Single.just(1)
let maybe = Maybe.just(1)
let completable = Completable.empty()
let infallible = Infallible.just(1)
let never = Observable<Never>.never()
