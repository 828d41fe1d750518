import Dispatch
import Foundation
import Rx
import RxBlocking

// A program whose main thread waits for streams that are observed on it.
// Ends the program if it hangs.
alarm(60)
let background = SerialDispatchQueueScheduler(qos: .default)
let hopped = Observable.of(1, 2, 3, scheduler: background)
    .observe(on: MainScheduler.instance)
    .map { (value: Int) in Thread.isMainThread ? value : 0 }

func shown<Value>(_ name: String, _ body: () throws -> Value) {
    do { print(name, try body()) } catch { print(name, error) }
}

shown("all") { try hopped.toBlocking(timeout: 10).toArray() }
shown("first") { try hopped.toBlocking().first() ?? 0 }
shown("last") { try hopped.toBlocking(timeout: 10).last() ?? 0 }
shown("delayed") {
    try Single.just(4).delay(.milliseconds(1), scheduler: MainScheduler.instance).toBlocking(timeout: 10)
        .single()
}
shown("timer") {
    try Observable<Int>.interval(.milliseconds(1), scheduler: MainScheduler.instance).toBlocking(timeout: 10)
        .first() ?? -1
}
shown("nested") {
    try Observable.of(1, 2).map {
        try Single.just($0 * 10).observe(on: MainScheduler.asyncInstance).toBlocking(timeout: 10).single()
    }
    .toBlocking(timeout: 10).toArray()
}
shown("late") { try Observable<Int>.never().toBlocking(timeout: 0.01).first() ?? -1 }

// The thread sleeps: waiting for a tenth of a second takes hardly any CPU time.
let before = clock()
shown("silent") { try Observable<Int>.never().toBlocking(timeout: 0.1).first() ?? -1 }
print("sleeps", Double(clock() - before) / Double(CLOCKS_PER_SEC) < 0.05)

// The main queue runs one block at a time, so it cannot serve a wait inside a block. The wait ends at its
// deadline.
DispatchQueue.main.async {
    shown("inside") { try hopped.toBlocking(timeout: 0.01).first() ?? -1 }
    shown("elsewhere") { try Observable.of(1, scheduler: background).toBlocking(timeout: 10).first() ?? -1 }
    exit(0)
}
RunLoop.main.run(until: .distantFuture)
