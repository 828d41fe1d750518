import GatewayCore
import HTTPModel
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Refusals that do not wait for the body", .timeLimit(.minutes(1)))
struct EarlyRefusalTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var request: String
        var fields = ""
        var status: Int
        var testDescription: String { "\(request) \(status)" }
    }

    private static let refused = [
        Row(request: "POST /items", status: 401),
        Row(request: "POST /items", fields: "X-API-Key: wrong\r\n", status: 401),
        Row(request: "POST /stream", status: 401),
        Row(request: "PUT /files/a", status: 401),
        Row(request: "POST /scoped", status: 403),
        Row(request: "POST /nowhere", status: 404),
        Row(request: "DELETE /items", status: 405),
        Row(request: "POST /limited", status: 429),
        Row(request: "OPTIONS /items", status: 204),
        Row(request: "POST /health/live", status: 405),
    ]

    private static let framings = [
        ("Content-Length: 10\r\n", "0123456789"),
        ("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"),
    ]

    @Sendable private func declare(_ gateway: Gateway) {
        gateway.rateLimit("one", RateLimit(key: [.endpoint], rate: 1, per: .seconds(3600)))
        let files = gateway.proxyUpstream("files", baseURL: "http://127.0.0.1:9")
        gateway.proxy("/files/{path...}", to: files, .require("partners"))
        gateway.post("/items", .require("partners"), .bodyLimit(1000)) { .json($0.body.count) }
        gateway.post("/stream", .require("partners"), .streamsBody) { _ in .json(1) }
        gateway.post("/scoped", .require("partners", scopes: ["write"])) { _ in .json(1) }
        gateway.post("/limited", .rateLimits("one")) { _ in .json(1) }
    }

    private func send(_ row: Row, _ framing: String, from client: RawClient, _ gateway: AccessGateway) {
        let key = row.status == 403 ? gateway.keyField : ""
        client.send("\(row.request) HTTP/1.1\r\nHost: test\r\n\(key)\(row.fields)\(framing)\r\n")
    }

    @Test(
        "The answer comes before the body, and behind the body the connection serves the next request",
        arguments: refused, framings)
    func first(row: Row, framing: (String, String)) throws {
        let lines = try withAccessGateway(
            configure: { $0.inbound.discardTime = .seconds(60) }, declare: declare
        ) { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            if row.status == 429 {
                #expect(try client.reply(to: "/limited", "", method: "POST").status == 200)
            }
            send(row, framing.0, from: client, gateway)
            let reply = try client.reply()
            #expect(reply.status == row.status)
            #expect(reply.value("Connection") == nil)
            client.send(framing.1)
            #expect(try client.reply(to: "/me", gateway.keyField).data == #""shop""#)
            #expect(gateway.server.settled.requestBodyBytes == 0)
            client.close()
        }
        let statuses = (row.status == 429 ? [200] : []) + [row.status, 200]
        #expect(lines.map { $0[member: "status"]?.intValue } == statuses)
    }

    @Test(
        "A refused body that never comes ends the connection, and the log has the refusal alone",
        arguments: [refused[0], refused[3]], framings)
    func never(row: Row, framing: (String, String)) throws {
        let lines = try withAccessGateway(
            configure: {
                $0.inbound.discardTime = .milliseconds(50)
                $0.inbound.bodyRateGrace = .milliseconds(1)
            }, declare: declare
        ) { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            send(row, framing.0, from: client, gateway)
            #expect(try client.reply().status == row.status)
            #expect(client.reachesEnd())
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [row.status])
        #expect(lines.first?[member: "authResult"]?.stringValue == "none")
    }

    @Test("A refused client that sends 2 MB before it reads gets its refusal")
    func large() throws {
        try withAccessGateway(
            configure: { $0.inbound.discardTime = .seconds(60) }, declare: declare
        ) { gateway throws in
            let piece = [UInt8](repeating: 0x61, count: 65_536)
            for row in [Self.refused[0], Self.refused[3]] {
                let client = try RawClient(port: gateway.server.port)
                send(row, "Transfer-Encoding: chunked\r\n", from: client, gateway)
                for _ in 0..<32 { client.send(Array("10000\r\n".utf8) + piece + [13, 10]) }
                client.send("0\r\n\r\n")
                #expect(try client.reply().status == 401)
                #expect(try client.reply(to: "/me", gateway.keyField).status == 200)
                client.close()
            }
        }
    }

    @Test("A malformed chunk behind a refusal ends the connection without a second answer")
    func malformed() throws {
        let lines = try withAccessGateway(
            configure: { $0.inbound.discardTime = .seconds(60) }, declare: declare
        ) { gateway throws in
            let client = try RawClient(port: gateway.server.port)
            send(Self.refused[0], "Transfer-Encoding: chunked\r\n", from: client, gateway)
            #expect(try client.reply().status == 401)
            client.send("zz\r\n\r\nGET /me HTTP/1.1\r\nHost: test\r\n\(gateway.keyField)\r\n")
            #expect(client.reachesEnd())
            client.close()
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [401])
    }

    @Test(
        "A request for a static file gets its answer before the body",
        arguments: [("GET", "/index.html", 200), ("POST", "/index.html", 405), ("POST", "/none", 404)],
        framings)
    func files(request: (method: String, target: String, status: Int), framing: (String, String)) throws {
        let fixture = try FileFixture()
        try fixture.write("index.html", "<p>")
        let files: [StaticFiles] = [
            .folder(fixture.root),
            .builtIn([BuiltInFile(path: "index.html", bytes: Array("<p>".utf8))], modified: 784_111_777),
        ]
        for source in files {
            _ = try withLoggedGateway {
                $0.files = source
                $0.inbound.discardTime = .seconds(60)
            } declare: {
                $0.get("/api/value") { _ in .json(1) }
            } _: { server in
                let client = try RawClient(port: server.port)
                let reply = try client.reply(to: request.target, framing.0, method: request.method)
                #expect(reply.status == request.status)
                #expect(reply.value("Connection") == nil)
                client.send(framing.1)
                #expect(try client.reply(to: "/api/value").status == 200)
                client.close()
            }
        }
    }
}
