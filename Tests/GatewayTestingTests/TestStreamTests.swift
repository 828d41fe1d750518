import EventIO
import GatewayCore
import HTTPModel
import HTTPOutbound
import JSONBytes
import Networking
import Rx
import Testing

@testable import GatewayTesting

/// A body of two pieces: one at once, one from an upstream.
@Sendable private func declareStreams(on gateway: Gateway) {
    let diary = gateway.provider(DiaryAPI.self, upstream: "diary")
    @Sendable func answer(_ request: GatewayRequest) -> Answer {
        let total = diary.rx.request(.total).fragment().asObservable().map { Array($0.bytes) }
        return .stream(Observable.concat(.just(Array("first,".utf8)), total), contentType: "text/csv")
    }
    gateway.get("/stream", handler: answer)
    gateway.get("/hasty", .streamGap(.milliseconds(500)), handler: answer)
}

@Suite("Streams of the test client", .timeLimit(.minutes(1)))
struct TestStreamTests {
    /// Runs a stub, and a client that sends it requests directly, to send what no gateway would.
    private func withStub(_ stub: StubUpstream, _ body: (TestClient) async throws -> Void) async throws {
        let (group, site) = try await onThread {
            let group = try EventLoopGroup(count: 1, name: "stream")
            return (group, try StubSite(stub, name: "stub", UnmatchedCalls.Log(), on: group.loops[0]))
        }
        let url = site.url.all[0]
        let client = try await onThread {
            let loop = group.loops[0]
            guard let port = UInt16(url.split(separator: ":").last ?? ""),
                let origin = Origin(host: "127.0.0.1", port: port)
            else { throw GatewayLeak(description: "no port in \(url)") }
            return loop.runBlocking {
                TestClient(url: url, backend: SocketClient(HTTPClient(loop: loop).origin(origin)))
            }
        }
        do {
            try await body(client)
        } catch {
            try await onThread {
                site.stop()
                group.shutdown()
            }
            throw error
        }
        try await onThread {
            site.stop()
            group.shutdown()
        }
    }

    private static func bytes(_ count: Int) -> HTTPResponse {
        HTTPResponse(status: .ok, body: [ArraySlice((0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) })])
    }

    @Test(
        "A streamed answer arrives piece by piece, at the times of its pieces",
        arguments: GatewayWorld.allCases)
    func streamed(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.json("1").after(.milliseconds(20)))
        try await withGateway(world, upstreams: upstreams, declare: declareStreams) { client in
            let response = try await client.stream(.get, "/stream")
            #expect(response.fields[.contentLength] == nil)
            var pieces = ""
            for try await piece in response.pieces { pieces += String(decoding: piece, as: UTF8.self) }
            #expect(pieces == "first,1")
            let whole = try await client.get("/stream")
            #expect(whole.text == "first,1")
            if world == .virtualTime { #expect(whole.elapsed == .milliseconds(20)) }
            #expect(try await client.head("/stream").text.isEmpty)
        }
    }

    @Test("A piece that takes longer than the gap ends the answer, after exactly that time")
    func gap() async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.json("1").after(.seconds(2)))
        try await withGateway(.virtualTime, upstreams: upstreams, declare: declareStreams) { client in
            let error = await #expect(throws: BrokenStream.self) { try await client.get("/hasty") }
            #expect(error?.detail == "no piece within 0.5 seconds")
            #expect(error?.received == 6)
        }
        #expect(upstreams["diary"].requests.first?.isAbandoned == true)
    }

    @Test("An answer that breaks off ends early in both worlds", arguments: GatewayWorld.allCases)
    func brokenOff(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["diary"].on(.get, "/total").answer(.status(.notFound))
        try await withGateway(world, upstreams: upstreams, declare: declareStreams) { client in
            let response = try await client.stream(.get, "/stream")
            let error = await #expect(throws: BrokenStream.self) { try await response.body() }
            #expect(error?.received == 6)
            await #expect(throws: (any Error).self) { try await client.get("/stream") }
        }
    }

    @Test("A gateway's response is read piece by piece", arguments: GatewayWorld.allCases)
    func whole(world: GatewayWorld) async throws {
        try await withGateway(world, declare: declareShop) { client in
            let response = try await client.stream(.get, "/text")
            #expect(response.status == .ok)
            #expect(response.fields[.contentLength] == "5")
            var text = ""
            for try await piece in response.pieces { text += String(decoding: piece, as: UTF8.self) }
            #expect(text == "hello")
            let missing = try await client.stream(.get, "/missing")
            #expect(missing.status == .notFound)
            #expect(try await !missing.body().isEmpty)
        }
    }

    @Test("A large body arrives byte for byte, though its reader is slow")
    func large() async throws {
        let response = Self.bytes(3 << 20)
        try await withStub(StubUpstream { _ in .response(response) }) { client in
            let stream = try await client.stream(.get, "/")
            let body = try await stream.body()
            #expect(body.elementsEqual(response.body.joined()))
        }
    }

    @Test("A body that ends early tells how much of it arrived")
    func truncated() async throws {
        let stub = StubUpstream { _ in .response(Self.bytes(1000)).truncated() }
        try await withStub(stub) { client in
            let stream = try await client.stream(.get, "/")
            #expect(stream.status == .ok)
            #expect(stream.fields[.contentLength] == "1000")
            var pieces = stream.pieces
            let first = try await pieces.next()
            #expect(first?.count == 500)
            let error = await #expect(throws: BrokenStream.self) { try await pieces.next() }
            #expect(error?.reason == .responseIncomplete)
            #expect(error?.received == 500)
            // The end stays the end.
            await #expect(throws: BrokenStream.self) { try await pieces.next() }
        }
    }

    @Test("A connection that is reset before the head is an error of the request")
    func reset() async throws {
        try await withStub(StubUpstream { _ in .resets }) { client in
            let error = await #expect(throws: BrokenStream.self) { try await client.stream(.get, "/") }
            #expect(error?.reason == .connectionTerminated)
        }
    }

    @Test("A client that leaves a stream closes its connection", arguments: [true, false])
    func leaves(byReleasing: Bool) async throws {
        let large = HTTPResponse(status: .ok, body: [ArraySlice(repeating: 7, count: 64 << 20)])
        let stub = StubUpstream { _ in .response(large) }
        try await withStub(stub) { client in
            let stream = try await client.stream(.get, "/")
            var pieces = stream.pieces
            let first = try await pieces.next()
            #expect(first?.isEmpty == false)
            if !byReleasing {
                stream.leave()
                // What had arrived may still be read.
                await #expect(throws: CancellationError.self) { while try await pieces.next() != nil {} }
            }
        }
        #expect(stub.requests.map(\.isAbandoned) == [true])
    }

    @Test("Cancelling the task of a stream without a head closes its connection")
    func cancelled() async throws {
        let stub = StubUpstream { _ in .hangs }
        try await withStub(stub) { client in
            await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await client.stream(.get, "/") }
                    try await client.wait(.milliseconds(50))
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        }
        #expect(stub.requests.map(\.isAbandoned) == [true])
    }
}
