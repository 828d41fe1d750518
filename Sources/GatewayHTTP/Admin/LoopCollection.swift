import EventIO
import Rx

enum LoopPatience {
    /// A loop that is silent for longer is left out.
    static let limit = Duration.milliseconds(500)
}

/// Asks each loop of a gateway for a value. Confined to the loop of the admin listener.
final class LoopCollection<Value: Sendable> {
    private var values: [Value?]
    private var missing: Int
    private var deliver: (([Value?]) -> Void)?
    private var timer: TimerToken?

    private init(_ count: Int, _ deliver: @escaping ([Value?]) -> Void) {
        self.deliver = deliver
        missing = count
        values = Array(repeating: nil, count: count)
    }

    /// Calls `deliver` once, on the loop, with the values in the order of the gateway's loops; nil for a
    /// silent one.
    ///
    /// - Parameter value: called on the loop of the worker.
    static func collect(
        of gateway: GatewayServer, on loop: EventLoop, _ value: @escaping @Sendable (Worker) -> Value,
        _ deliver: @escaping ([Value?]) -> Void
    ) {
        let collection = LoopCollection(gateway.workers.count, deliver)
        collection.timer = loop.setTimer(after: LoopPatience.limit, target: collection)
        let answer = LoopBound(collection, loop: loop)
        for (index, worker) in gateway.workers.enumerated() {
            worker.loop.execute {
                let value = value(worker.value)
                answer.loop.execute { answer.value.add(value, at: index) }
            }
        }
    }

    private func add(_ value: Value, at index: Int) {
        guard values[index] == nil else { return }
        values[index] = value
        missing -= 1
        guard missing == 0 else { return }
        if let timer = timer.take() { EventLoop.current?.cancelTimer(timer) }
        finish()
    }

    private func finish() { deliver.take()?(values) }
}

extension LoopCollection: TimerTarget {
    func timerFired(_ token: TimerToken) { finish() }
}
