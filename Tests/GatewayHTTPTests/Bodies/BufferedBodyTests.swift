import GatewayCore
import HTTPModel
import JSONBytes
import Metrics
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

private struct StoreAPI: TargetType {
    var method: HTTPMethod
    var bytes: ArraySlice<UInt8>

    var baseURL: String { "http://stores.test" }
    var path: RequestPath { "/store" }
    var task: RequestTask { .data(bytes, contentType: "text/plain") }
}

@Suite("The memory of request bodies in a gateway", .serialized, .timeLimit(.minutes(1)))
struct BufferedBodyTests {
    /// Serves `/store`, which sends the client's body to the upstream with the client's method, and `/decode`
    /// and `/collect`, which decode or collect it and wait for `gate`.
    private func serve(
        _ upstream: ScriptedUpstream, limit: Int = 1 << 20, gate: Gate = Gate(),
        _ body: (GatewayServer) throws -> Void
    ) throws {
        defer { upstream.stop() }
        _ = try withLoggedGateway(stops: true) { configuration in
            configuration.limits.deadline = .seconds(300)
            configuration.limits.requestBody = limit
            configuration.inbound.bufferedBodies = limit
            configuration.upstreams["stores"] = "http://127.0.0.1:\(upstream.port)"
        } declare: { gateway in
            let stores = gateway.provider(StoreAPI.self, upstream: "stores", policy: .single)
            @Sendable func store(_ request: GatewayRequest) -> Answer {
                let call = StoreAPI(method: request.method, bytes: request.body)
                return .parts(stored: stores.rx.request(call).fragment())
            }
            gateway.put("/store") { store($0) }
            gateway.post("/store") { store($0) }
            gateway.post("/decode") { request in
                let count = try request.decodedBody().count
                await gate.pass()
                return .json(count)
            }
            gateway.post("/collect", .streamsBody) { request in
                let count = try await request.bodyStream.bytes().count
                await gate.pass()
                return .json(count)
            }
        } _: { server in
            try body(server)
        }
    }

    private func client(
        _ server: GatewayServer, _ method: String, _ path: String, _ body: [UInt8], _ fields: String = ""
    )
        throws -> RawClient
    {
        let client = try RawClient(port: server.port)
        client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: test\r\n\(fields)Content-Length: \(body.count)\r\n\r\n")
        client.send(body)
        return client
    }

    private func waitForBytes(_ server: GatewayServer, _ isReached: (Int) -> Bool) throws {
        try spin(while: !isReached(server.settled.requestBodyBytes)) {
            "\(server.settled.requestBodyBytes) bytes of request bodies"
        }
    }

    @Test(
        "Bodies count while their requests wait for a slow upstream; beyond the limit, a request with a body gets 503"
    )
    func slowUpstream() throws {
        try serve(try ScriptedUpstream([.readRequest, .awaitEnd])) { server in
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
            var waiting: [RawClient] = []
            for count in 1...3 {
                waiting.append(try client(server, "PUT", "/store", body))
                try waitForBytes(server) { $0 >= count * body.count }
            }
            let refused = try client(server, "PUT", "/store", body)
            let reply = try refused.reply()
            #expect(reply.status == 503)
            #expect(reply.text.contains("\"code\":\"OVERLOADED\""))
            // The clients leave, and their bodies with them.
            for client in waiting { client.reset() }
            try waitForBytes(server) { $0 == 0 }
            let last = try client(server, "PUT", "/store", body)
            try waitForBytes(server) { $0 >= body.count }
            last.reset()
            try waitForBytes(server) { $0 == 0 }
        }
    }

    @Test("A body counts until the upstream has it, if its POST goes on after its client has left")
    func uncutPost() throws {
        let isLate = Signal()
        // More than the kernel's buffers take.
        let size = 16 << 20
        let upstream = try ScriptedUpstream([.readHead, .wait(isLate), .close])
        try serve(upstream, limit: size) { server in
            let client = try client(
                server, "POST", "/store", [UInt8](repeating: UInt8(ascii: "x"), count: size))
            try upstream.requestRead.waitBlocking()
            client.reset()
            try spin(while: server.settled.requests > 0) { "\(server.settled.requests) requests" }
            #expect(server.settled.requestBodyBytes >= size)
            isLate.fire()
            try waitForBytes(server) { $0 == 0 }
        }
    }

    @Test("What a handler collects of a streamed body counts until its request is over")
    func collected() throws {
        let gate = Gate()
        try serve(try ScriptedUpstream([.awaitEnd]), gate: gate) { server in
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 700_000)
            let first = try client(server, "POST", "/collect", body)
            try waitForBytes(server) { $0 >= body.count }
            #expect(try client(server, "POST", "/collect", body).reply().status == 503)
            #expect(server.metrics.value(.httpRefused, ["bodies"]) == 1)
            gate.open()
            #expect(try first.reply().text.contains("\"data\":\(body.count)"))
            try waitForBytes(server) { $0 == 0 }
            #expect(try client(server, "POST", "/collect", body).reply().status == 200)
        }
    }

    @Test("Decoded bodies count with the coded ones, however small those are")
    func decoded() throws {
        let gate = Gate()
        try serve(try ScriptedUpstream([.awaitEnd]), gate: gate) { server in
            let size = 700_000
            let body = Deflated.gzip([UInt8](repeating: UInt8(ascii: "x"), count: size))
            #expect(body.count < 16_384)
            let fields = "Content-Encoding: gzip\r\n"
            let first = try client(server, "POST", "/decode", body, fields)
            try waitForBytes(server) { $0 >= size + body.count }
            #expect(try client(server, "POST", "/decode", body, fields).reply().status == 503)
            #expect(server.metrics.value(.httpRefused, ["bodies"]) == 1)
            gate.open()
            #expect(try first.reply().text.contains("\"data\":\(size)"))
            try waitForBytes(server) { $0 == 0 }
            #expect(try client(server, "POST", "/decode", body, fields).reply().status == 200)
        }
    }
}
