import EventIO
import HTTPOutbound
import Networking
import Testing

@testable import GatewayServer

@Suite("The budget of retries")
struct LoopTransportTests {
    @Test("A retry asked for outside the loops comes out of the budget of the loop that makes its calls")
    func outsideTheLoops() throws {
        let group = try EventLoopGroup(count: 2, name: "budget")
        defer { group.shutdown() }
        let clients = group.loops.map { loop in
            loop.runBlocking { LoopBound(LoopClient(HTTPClient(loop: loop)), loop: loop) }
        }
        let transport = LoopTransport(clients)
        let upstream = try Networking.Upstream(name: "parts", baseURL: "http://127.0.0.1:1")
        func begin(on loop: EventLoop) -> Bool {
            loop.runBlocking { transport.beginRetry(to: upstream) }
        }
        let chosen = try #require(transport.scheduler as? EventLoop)
        let other = try #require(group.loops.first { $0 !== chosen })

        #expect((0..<3).map { _ in transport.beginRetry(to: upstream) } == [true, true, true])
        #expect(!transport.beginRetry(to: upstream))
        #expect(!begin(on: chosen))
        #expect(begin(on: other))

        transport.endRetry(to: upstream)
        #expect(begin(on: chosen))
        #expect(!transport.beginRetry(to: upstream))
        chosen.runBlocking { transport.endRetry(to: upstream) }
        #expect(transport.beginRetry(to: upstream))
    }
}
