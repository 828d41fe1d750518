import Dispatch
import Networking
import NetworkingTesting
import Rx

/// A transport whose memory for the bodies of calls is bounded, and whose memory for composed values is not.
final class BoundedTransport: ProtectingTransport {
    private let stub: StubTransport
    private let hasRoom: @Sendable (Int) -> Bool

    init(_ stub: StubTransport, hasRoom: @escaping @Sendable (Int) -> Bool) {
        self.stub = stub
        self.hasRoom = hasRoom
    }

    func hasRoom(for bytes: Int, inBodyTo upstream: Upstream) -> Bool { hasRoom(bytes) }
    func charge(_ bytes: Int, composedIn context: CallContext) -> Bool { true }
    func protect(_ upstream: String, by policy: UpstreamPolicy) {}
    func prepare(_ upstream: Upstream) {}

    func send(_ call: TransportCall, within limit: RxTimeInterval, for receiver: any AttemptReceiver)
        -> any Disposable
    {
        stub.send(call, within: limit, for: receiver)
    }

    var scheduler: any SchedulerType { stub.scheduler }
    func beginRetry(to upstream: Upstream) -> RetryObstacle? { stub.beginRetry(to: upstream) }
    func endRetry(to upstream: Upstream) { stub.endRetry(to: upstream) }
}
