import Dispatch
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Rx
import Testing

@Sendable private func declareProxies(on gateway: Gateway) {
    var policy = CallPolicy()
    policy.retry.backoff = .constant(.milliseconds(5))
    let images = gateway.proxyUpstream("images", baseURL: "http://images.test", policy: policy)
    gateway.proxy("/images/{path...}", to: images)
    gateway.proxy("/hasty/{path...}", to: images, .deadline(.milliseconds(30)))
    gateway.proxy("/small/{path...}", to: images, .bodyLimit(4))
}

@Suite("Tests of a proxy", .timeLimit(.minutes(1)))
struct ProxyTests {
    private static func response(_ status: HTTPStatus, _ fields: HTTPFields, _ body: String)
        -> StubUpstream.Answer
    {
        .response(HTTPResponse(status: status, fields: fields, body: [Array(body.utf8)[...]]))
    }

    @Test(
        "A response passes as its stub sends it, whole and piece by piece", arguments: GatewayWorld.allCases)
    func passes(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["images"].on(.get, "/cat.png", query: ["size": "2"]).answer(
            Self.response(
                .partialContent, [.contentType: "image/png", .eTag: "\"a\"", .setCookie: "a=b"], "PNG"))
        try await withGateway(world, upstreams: upstreams, declare: declareProxies) { client in
            let response = try await client.get("/images/cat.png?size=2")
            #expect(response.status == .partialContent)
            #expect(response.text == "PNG")
            #expect(response.fields[.contentType] == "image/png")
            #expect(response.fields[.eTag] == "\"a\"")
            #expect(!response.fields.contains(.setCookie))
            let stream = try await client.stream(.get, "/images/cat.png?size=2")
            #expect(stream.status == .partialContent)
            var text = ""
            for try await piece in stream.pieces { text += String(decoding: piece, as: UTF8.self) }
            #expect(text == "PNG")
        }
    }

    @Test("HEAD arrives as HEAD and has no body", arguments: GatewayWorld.allCases)
    func head(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["images"].on(.head, "/cat.png").answer(Self.response(.ok, [.eTag: "\"a\""], ""))
        try await withGateway(world, upstreams: upstreams, declare: declareProxies) { client in
            let response = try await client.head("/images/cat.png")
            #expect(response.status == .ok)
            #expect(response.fields[.eTag] == "\"a\"")
            #expect(response.text.isEmpty)
        }
    }

    @Test("A body passes to the stub, with its type", arguments: GatewayWorld.allCases)
    func upload(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["images"].on(.post, "/cats", json: ["name": "tom"]).answer { request in
            .json(#""\#(request.fields[.contentType] ?? "")""#, status: .created)
        }
        try await withGateway(world, upstreams: upstreams, declare: declareProxies) { client in
            let response = try await client.post("/images/cats", json: ["name": "tom"])
            #expect(response.status == .created)
            #expect(response.text == #""application/json""#)
            #expect(try await client.post("/small/cats", json: ["name": "tom"]).status == .contentTooLarge)
        }
        #expect(upstreams["images"].requests.count == 1)
    }

    @Test(
        "A body that breaks off ends the answer early, without another attempt",
        arguments: GatewayWorld.allCases)
    func truncated(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        let body = String(repeating: "a", count: 1_000_000)
        upstreams["images"].on(.get, "/cat.png").answer(Self.response(.ok, [:], body).truncated())
        try await withGateway(world, upstreams: upstreams, declare: declareProxies) { client in
            let stream = try await client.stream(.get, "/images/cat.png")
            let error = await #expect(throws: BrokenStream.self) { try await stream.body() }
            #expect((error?.received ?? 0) < body.count)
        }
        #expect(upstreams["images"].requests.count == 1)
    }

    @Test(
        "Failures before the head are repeated, then answered in the gateway's style",
        arguments: GatewayWorld.allCases)
    func failures(world: GatewayWorld) async throws {
        let upstreams = StubUpstreams()
        upstreams["images"].on(.get, "/busy").answers(.status(.serviceUnavailable), .status(.ok))
        upstreams["images"].on(.get, "/gone").answer(.resets)
        upstreams["images"].on(.get, "/slow").answer(.hangs)
        try await withGateway(world, upstreams: upstreams, declare: declareProxies) { client in
            #expect(try await client.get("/images/busy").status == .ok)
            let gone = try await client.get("/images/gone")
            #expect(gone.status == .badGateway)
            #expect(try gone.json[member: "code"]?.stringValue == "BAD_GATEWAY")
            let slow = try await client.get("/hasty/slow")
            #expect(slow.status == .gatewayTimeout)
            if world == .virtualTime { #expect(slow.elapsed == .milliseconds(30)) }
        }
        // On sockets, a reset of a pooled connection is followed by a request that counts as no attempt.
        let most = world == .sockets ? 7 : 6
        #expect((6...most).contains(upstreams["images"].requests.count))
    }
}
