import Locking

/// Numbers in the order in which they were added.
final class OrderLog: Sendable {
    private let state = Lock<[Int]>([])

    var numbers: [Int] { state.withLock { $0 } }

    func add(_ number: Int) { state.withLock { $0.append(number) } }
}
