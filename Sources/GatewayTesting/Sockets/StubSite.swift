import EventIO
import GatewayCore
import HTTPInbound
import Locking
import Networking

/// A stub on a port of its own.
final class StubSite: Sendable {
    private let stub: StubUpstream
    private let port: ReservedPort
    private let loop: EventLoop
    private let server: LoopBound<StubServer>
    private let watcher: Lock<Int?>

    /// Starts listening unless the stub refuses connections.
    init(_ stub: StubUpstream, name: String, _ unmatched: UnmatchedCalls.Log, on loop: EventLoop) throws {
        self.stub = stub
        self.loop = loop
        let port = try ReservedPort()
        self.port = port
        let server = LoopBound(on: loop) {
            StubServer(stub, name: name, unmatched, address: port.address, loop: loop)
        }
        self.server = server
        let listen: @Sendable (StubUpstream.Fault?) -> Void = { fault in
            let change: @Sendable () -> Void = {
                if fault == .refusesConnections { server.value.refuse() } else { server.value.listen() }
            }
            if loop.isCurrent { change() } else { loop.runBlocking(change) }
        }
        watcher = Lock(stub.watchFault(listen))
        listen(stub.fault)
    }

    var url: UpstreamURLs { UpstreamURLs("http://\(port.address)") }

    func stop() {
        if let watcher = watcher.withLock({ $0.take() }) { stub.unwatch(watcher) }
        // The first turn of the loop reads what clients that have left have sent: their end.
        loop.runBlocking {}
        loop.runBlocking { [server] in server.value.refuse() }
    }
}
