import Locking
import Rx

/// Numbers in the order in which they were added.
final class OrderLog: Sendable {
    private let state = Lock<[Int]>([])

    var numbers: [Int] { state.withLock { $0 } }
    var nothing: any Disposable { Disposables.create() }

    func add(_ number: Int) { state.withLock { $0.append(number) } }
}
