import EventIO
import GatewayTesting
import HTTPModel
import Networking
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import NetworkingSession

/// The examples of the keys, by table.
enum FileKeys {}

extension FileKeys {
    static let settings: [KeyExample] = [
        KeyExample("file.version", file: "version: 1") { _ in
            #expect(throws: GatewayFileError.self) { try FileBench("version: 2") }
        },
        KeyExample.setting(
            "file.listen listen.host listen.port listen.loops", "listen: {host: localhost, port: 9, loops: 3}"
        ) {
            #expect($0.host == "127.0.0.1")
            #expect($0.port == 9)
            #expect($0.loops == 3)
        },
        KeyExample.setting(
            "file.admin admin.listen admin.token",
            "admin: {listen: [\"127.0.0.1:9\", unix:/run/a.sock], token: 0123456789abcdef}"
        ) {
            #expect($0.admin.addresses.map(\.description) == ["127.0.0.1:9", "unix:/run/a.sock"])
            #expect($0.admin.token == AdminToken("0123456789abcdef"))
        },
        KeyExample.setting(
            "file.log log.level log.access log.format log.slow log.fields",
            "log: {level: warning, access: 1/20, format: text, slow: 2s, fields: [User-Agent]}"
        ) {
            #expect($0.slow == .seconds(2) && $0.logFields.names == ["User-Agent"])
            #expect($0.logLevel == .warning)
            #expect($0.accessLog == .every(20))
            #expect($0.logFormat == .text)
        },
        KeyExample.setting(
            "file.traces traces.url traces.ratio traces.rate traces.failures",
            "traces: {url: \"http://collector:4318\", ratio: 0.25, rate: 0, failures: off}"
        ) {
            let collector = try HTTPURL("http://collector:4318/v1/traces")
            #expect($0.traces.collector == collector)
            #expect($0.traces.ratio == 0.25 && $0.traces.rate == 0 && !$0.traces.failures)
        },
        KeyExample.setting("file.drain drain.delay drain.deadline", "drain: {delay: 2s, deadline: 9s}") {
            #expect($0.drainDelay == .seconds(2))
            #expect($0.drainDeadline == .seconds(9))
        },
        KeyExample.setting("file.name", "name: edge") { #expect($0.name == "edge") },
        KeyExample.setting("file.hosts", "hosts: [app.example.com]") {
            let names = try HostNames(["app.example.com"])
            #expect($0.hosts == names)
        },
        KeyExample.setting(
            "file.clients clients.trusted clients.header clients.requestId",
            "clients: {trusted: [10.0.0.0/8, loopback], header: proxy-protocol, requestId: never}"
        ) {
            #expect($0.clients.trusted.description == "10.0.0.0/8, 127.0.0.0/8, ::1")
            #expect($0.clients.header == .proxyProtocol)
            #expect($0.clients.requestID == .never)
        },
        KeyExample(
            "clients.forward clients.scheme",
            file: """
                clients: {forward: forwarded, scheme: https}
                upstreams: {api: {url: "http://api"}}
                endpoints: [{get: /x, data: {upstream: api, get: /a}}]
                """
        ) { bench async throws in
            _ = try await bench.ask("/x")
            #expect(bench.calls[0].fields[.forwarded]?.contains("proto=https") == true)
        },
        KeyExample.setting("file.public", "public: /usr") {
            guard case .folder(let path)? = $0.files?.source else {
                Issue.record("no folder")
                return
            }
            #expect(path == "/usr")
        },
        KeyExample("file.timeline", file: "timeline: on\nendpoints: [{get: /x, data: {value: 1}}]") {
            bench async throws in
            let reply = try await bench.ask("/x", ["Prefer": "timeline"])
            #expect(try reply.text(at: "/meta/timeline") != nil)
        },
        KeyExample.setting("file.proxy file.noProxy", "proxy: http://proxy:3128\nnoProxy: [10.0.0.0/8]") {
            guard case .fixed(let proxy, let except) = $0.connections.proxy.kind else {
                Issue.record("no proxy")
                return
            }
            let expected = (
                proxy: try OutboundProxy("http://proxy:3128"), except: try NoProxy("10.0.0.0/8")
            )
            #expect(proxy == expected.proxy)
            #expect(except == expected.except)
        },
        KeyExample(
            "file.cors cors.origins cors.methods cors.headers cors.exposedHeaders cors.maxAge cors.credentials",
            file: """
                cors: {origins: ["https://app.example"], methods: [PUT], headers: [X-A], exposedHeaders: [X-B],
                  maxAge: 5m, credentials: true}
                endpoints: [{put: /x, data: {value: 1}}]
                """
        ) { bench async throws in
            let origin: HTTPFields = [.origin: "https://app.example"]
            let reply = try await bench.ask(.put, "/x", origin)
            #expect(reply.fields["Access-Control-Allow-Origin"] == "https://app.example")
            #expect(reply.fields["Access-Control-Expose-Headers"]?.contains("X-B") == true)
            #expect(reply.fields["Access-Control-Allow-Credentials"] == "true")
            let cors = try #require(bench.configuration.cors)
            #expect(cors.methods == [.put])
            #expect(cors.headers == ["X-A"])
            #expect(cors.maxAge == .seconds(300))
        },
        KeyExample.setting(
            "file.metrics metrics.buckets metrics.parts", "metrics: {buckets: [0.5ms, 300ms, 1s], parts: off}"
        ) {
            #expect($0.metrics.buckets == [.microseconds(500), .milliseconds(300), .seconds(1)])
            #expect(!$0.metrics.parts)
        },
        KeyExample.setting("file.compression", "compression: off") { #expect($0.compression == nil) },
        KeyExample.setting(
            "compression.minimum compression.streams", "compression: {minimum: 2KiB, streams: 7}"
        ) {
            #expect($0.compression?.minimumSize == 2048)
            #expect($0.compression?.streams == 7)
        },
        KeyExample.setting("file.spoolDirectory", "spoolDirectory: /tmp") {
            #expect($0.inbound.spoolDirectory == "/tmp")
        },
        KeyExample.setting(
            "file.limits limits.requestsInFlight limits.upstreamBodies limits.connections limits.handshakes limits.sendRate limits.keepAlive",
            "limits: {requestsInFlight: 9, upstreamBodies: 2MiB, connections: 8, handshakes: 5, sendRate: 7B/s, keepAlive: 6s}"
        ) {
            #expect($0.inbound.requestsInFlight == 9)
            #expect($0.upstreamBodies == 2 << 20)
            #expect($0.inbound.connections == 8)
            #expect($0.inbound.handshakes == 5)
            #expect($0.inbound.sendRate == 7)
            #expect($0.inbound.keepAliveIdle == .seconds(6))
        },
        KeyExample.setting(
            "limits.target limits.headerBlock limits.headerLine limits.headerCount",
            "limits: {target: 1KiB, headerBlock: 32KiB, headerLine: 24KiB, headerCount: 50}"
        ) {
            #expect($0.inbound.target == 1 << 10)
            #expect($0.inbound.headerBlock == 32 << 10)
            #expect($0.inbound.headerLine == 24 << 10)
            #expect($0.inbound.headerCount == 50)
        },
        KeyExample(
            "limits.deadline limits.answer",
            file: """
                limits: {deadline: 2s, answer: 1KiB}
                upstreams: {api: {url: "http://api"}}
                endpoints: [{get: /x, data: {upstream: api, get: /a}}]
                """
        ) { bench async throws in
            bench.answers = ["/a": .hangs]
            let late = try await bench.ask("/x")
            #expect(late.status == .gatewayTimeout)
            #expect(late.elapsed == .seconds(2))
            bench.answers = ["/a": .json("\"\(String(repeating: "x", count: 1100))\"")]
            #expect(try await bench.ask("/x").status == .badGateway)
        },
        KeyExample.setting("limits.requestBody", "limits: {requestBody: 10B}") {
            #expect($0.limits.requestBody == 10)
        },
        KeyExample(
            "file.schemas file.upstreams file.endpoints",
            file: """
                schemas: {Own: {type: integer}}
                upstreams: {api: {url: "http://api"}}
                endpoints: [{put: /x, body: {$ref: "#/schemas/Own"}, data: {upstream: api, get: /a}}]
                """
        ) { bench async throws in
            #expect(try await bench.ask(.put, "/x", json: "1").status == .ok)
            #expect(bench.calls.map(\.upstream) == ["api"])
            #expect(try await bench.ask(.put, "/x", json: "true").status == .badRequest)
        },
        KeyExample(
            "file.include includedFile.schemas includedFile.upstreams includedFile.endpoints",
            file: """
                include: [more.yaml]
                endpoints: [{put: /x, body: {$ref: "#/schemas/More"}, data: {value: 2}}]
                """,
            more: [
                "more.yaml": """
                schemas: {More: {type: boolean}}
                upstreams: {other: {url: "http://b"}}
                endpoints: [{get: /y, data: {upstream: other, get: /b}}]
                """
            ]
        ) { both async throws in
            #expect(try await both.ask(.put, "/x", json: "true").data == "2")
            #expect(try await both.ask("/y").data == "1")
            #expect(both.calls.map(\.upstream) == ["other"])
        },
        KeyExample(
            "file.defaults defaults.deadline defaults.bodyLimit defaults.forward defaults.credentials defaults.compression defaults.slow "
                + "defaults.answer",
            file: """
                upstreams: {api: {url: "http://api"}}
                defaults: {deadline: 3s, bodyLimit: 1KiB, forward: [X-A], credentials: [api], compression: off, slow: 2s,
                  answer: {status: 201}}
                endpoints: [{get: /x, data: {upstream: api, get: /a}}]
                """
        ) { bench async throws in
            let reply = try await bench.ask("/x", ["X-A": "1", .authorization: "Bearer t"])
            #expect(reply.status == .created)
            #expect(bench.calls[0].fields["X-A"] == "1")
            #expect(bench.calls[0].fields[.authorization] == "Bearer t")
            let settings = try bench.settings(of: .get, "/x")
            #expect(settings.slow == .seconds(2))
            #expect(settings.deadline == .seconds(3))
            #expect(settings.bodyLimit == 1024)
            #expect(!settings.compresses)
        },
    ]
}
