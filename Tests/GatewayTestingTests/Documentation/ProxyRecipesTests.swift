import GatewayCore
import GatewayHTTP
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import Testing

/// Compiles and runs the recipes about bodies that pass through.
@Suite("The recipes for bodies that pass through")
struct ProxyRecipesTests {
    private let upstreams = StubUpstreams()

    // MARK: Images

    func declareImages(on gateway: Gateway) {
        let images = gateway.proxyUpstream("images", baseURL: "http://images.internal:8080/v1")

        gateway.proxy("/images/{path...}", to: images, methods: [.get])
    }

    @Test("A range of an image passes through with its fields", arguments: GatewayWorld.allCases)
    func images(world: GatewayWorld) async throws {
        let part = [UInt8](repeating: 7, count: 100)
        upstreams["images"].on(.get, "/2026/cat.png").answer(
            .response(
                HTTPResponse(
                    status: .partialContent,
                    fields: [
                        .contentType: "image/png", .eTag: "\"5f3-64a\"", .contentRange: "bytes 0-99/1523",
                        .acceptRanges: "bytes", .server: "images/1",
                    ], body: [part[...]])))
        try await withGateway(world, upstreams: upstreams, declare: declareImages) { client in
            let answer = try await client.send(
                .get, "/images/2026/cat.png?width=300", [.range: "bytes=0-99", .cookie: "id=1"])
            #expect(answer.status == .partialContent)
            #expect(answer.body == part[...])
            #expect(answer.fields[.contentRange] == "bytes 0-99/1523")
            #expect(answer.fields[.eTag] == "\"5f3-64a\"")
            #expect(answer.fields[.contentLength] == "100")
            #expect(!answer.fields.contains(.server))
            let call = try #require(upstreams["images"].requests.first)
            #expect(call.query == "width=300")
            #expect(call.fields[.range] == "bytes=0-99")
            #expect(!call.fields.contains(.cookie))
            let head = try await client.send(.head, "/images/2026/cat.png")
            #expect(head.body.isEmpty)
            #expect(head.fields[.contentLength] == "100")
            #expect(upstreams["images"].requests.last?.method == .head)
            let outside = try await client.send(.get, "/images")
            #expect(outside.status == .notFound)
            let write = try await client.send(.post, "/images/2026/cat.png")
            #expect(write.status == .methodNotAllowed)
        }
    }

    func declarePlaces(on gateway: Gateway) {
        let images = gateway.proxyUpstream("images", baseURL: "http://images.internal:8080/v1")

        gateway.proxy("/manuals/{file...}", to: images, at: "/documents/manuals", methods: [.get])
        gateway.proxy("/favicon.ico", to: images, at: "/icons/favicon.ico", methods: [.get])
    }

    @Test("Other places of the upstream are chosen by their path", arguments: GatewayWorld.allCases)
    func places(world: GatewayWorld) async throws {
        upstreams["images"].on(.get, "/documents/manuals/lamp/en.pdf").answer(json: "1")
        upstreams["images"].on(.get, "/icons/favicon.ico").answer(json: "2")
        try await withGateway(world, upstreams: upstreams, declare: declarePlaces) { client in
            let manual = try await client.send(.get, "/manuals/lamp/en.pdf")
            #expect(manual.text == "1")
            let icon = try await client.send(.get, "/favicon.ico")
            #expect(icon.text == "2")
        }
    }

    // MARK: Uploads

    func declareFiles(on gateway: Gateway) {
        let files = gateway.proxyUpstream("files", baseURL: "http://files.internal")

        gateway.group("/files") { group in
            group.before { request in
                guard request.header("X-API-Key") == "secret" else {
                    throw GatewayError.unauthorized("The API key is wrong")
                }
                return nil
            }
            group.proxy(
                "/{path...}", to: files,
                fields: .standard.adding(request: .userAgent, response: .setCookie), .bodyLimit(100 << 20))
        }
    }

    @Test("An upload passes through behind a check", arguments: GatewayWorld.allCases)
    func files(world: GatewayWorld) async throws {
        upstreams["files"].on(.put, "/a/b.txt").answer(
            .status(.created, fields: [.setCookie: "id=1", .location: "/a/b.txt"]))
        try await withGateway(world, upstreams: upstreams, declare: declareFiles) { client in
            let refused = try await client.send(.put, "/files/a/b.txt", body: "text".utf8)
            #expect(refused.status == .unauthorized)
            #expect(upstreams["files"].requests.isEmpty)
            let large = String(repeating: "0123456789", count: 200_000)
            let saved = try await client.send(
                .put, "/files/a/b.txt",
                ["X-API-Key": "secret", .userAgent: "test", .contentType: "text/plain"], body: large.utf8)
            #expect(saved.status == .created)
            #expect(saved.fields[.location] == "/files/a/b.txt")
            #expect(saved.fields[.setCookie] == "id=1")
            let call = try #require(upstreams["files"].requests.first)
            #expect(call.body == large)
            #expect(call.fields[.contentType] == "text/plain")
            #expect(call.fields[.userAgent] == "test")
            #expect(!call.fields.contains("X-API-Key"))
        }
    }

    // MARK: One call

    func declareReceipts(on gateway: Gateway) {
        let receipts = gateway.provider(ReceiptsAPI.self, upstream: "receipts")

        gateway.get("/orders/{id}/receipt.pdf", .forwardsAuthorization(to: "receipts")) { request in
            .proxy(receipts.call(.order(try request.path("id"))))
        }
    }

    @Test("The response to one call passes through", arguments: GatewayWorld.allCases)
    func receipts(world: GatewayWorld) async throws {
        upstreams["receipts"].on(.get, "/receipts/7").answer { request in
            request.fields[.authorization] == "Bearer t"
                ? .response(
                    HTTPResponse(
                        status: .ok, fields: [.contentType: "application/pdf"],
                        body: [Array("%PDF".utf8)[...]]))
                : .status(.unauthorized, fields: [.wwwAuthenticate: "Bearer"])
        }
        try await withGateway(world, upstreams: upstreams, declare: declareReceipts) { client in
            let receipt = try await client.send(
                .get, "/orders/7/receipt.pdf", [.authorization: "Bearer t", .accept: "application/pdf"])
            #expect(receipt.status == .ok)
            #expect(receipt.fields[.contentType] == "application/pdf")
            #expect(receipt.text == "%PDF")
            #expect(upstreams["receipts"].requests.last?.fields[.accept] == "application/pdf")
            let refused = try await client.send(.get, "/orders/7/receipt.pdf")
            #expect(refused.status == .unauthorized)
            #expect(refused.fields[.wwwAuthenticate] == "Bearer")
        }
    }
}

/// Orders and their receipts.
enum ReceiptsAPI: TargetType {
    case order(Int)

    var baseURL: String { "http://receipts.internal" }

    var path: RequestPath {
        switch self {
        case .order(let id): "/receipts/\(id)"
        }
    }
}
