import Dispatch
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import TestWaiting
import Testing

@testable import GatewayCore

@Suite("The loops of shared values", .timeLimit(.minutes(1)))
struct SharedLoopTests {
    /// A transport of several loops. A test says on which one the code runs.
    private final class Loops: Transport {
        private let stub: StubTransport
        private let current: Lock<any SchedulerType>

        init(_ first: VirtualTime) {
            stub = StubTransport(scheduler: first)
            current = Lock(first)
        }

        var scheduler: any SchedulerType { current.withLock { $0 } }

        func use(_ loop: VirtualTime) { current.withLock { $0 = loop } }

        func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
            -> any Disposable
        {
            stub.send(call, within: limit, for: receiver)
        }

        func beginRetry(to upstream: Upstream) -> RetryObstacle? { stub.beginRetry(to: upstream) }
        func endRetry(to upstream: Upstream) { stub.endRetry(to: upstream) }
    }

    @Test("A request that waits for the load of another loop gets the value on its own loop")
    func ownLoop() throws {
        let (first, second) = (VirtualTime(), VirtualTime())
        let loops = Loops(first)
        let gateway = Gateway(GatewayEnvironment(transport: loops))
        let source = PublishSubject<Int>()
        let total = gateway.shared("total", for: .seconds(60)) { source.take(1).asSingle() }
        let log = EventLog()
        let one = total.single.subscribe(onSuccess: { log.add("loaded \($0)") })
        defer { one.dispose() }
        try spin(while: !source.hasObservers) { "the load has not begun" }
        loops.use(second)
        let other = total.single.subscribe(onSuccess: { log.add("joined \($0)") })
        defer { other.dispose() }
        source.onNext(7)
        try spin(while: second.pending == 0 || log.events.isEmpty) { "\(log.events)" }
        #expect(log.events == ["loaded 7"])
        second.advance(by: .zero)
        #expect(log.events == ["loaded 7", "joined 7"])
        // A value that is kept needs no loop.
        total.single.subscribe(onSuccess: { log.add("kept \($0)") }).dispose()
        #expect(log.events.last == "kept 7")
    }
}
