import GatewayTesting
import HTTPModel
import TestSupport
import Testing

@testable import GatewayHTTP

/// Files on sockets, for what virtual time leaves out.
@Suite("Files that are served on sockets", .timeLimit(.minutes(1)))
struct ServedFileTests {
    /// Returns the content coding of each endpoint's answer.
    private static func encodings(_ settings: String, _ endpoints: [String]) throws -> [String?] {
        let long = String(repeating: "long ", count: 400)
        let items = endpoints.enumerated().map { index, key in
            "- {get: /\(index), \(key)data: {value: \"\(long)\"}}"
        }
        let file = try FileBench("\(settings)\nendpoints:\n\(items.joined(separator: "\n"))\n").file
        var encodings: [String?] = []
        _ = try withLoggedGateway(
            configure: { file.apply(to: &$0) }, declare: { try file.declare(on: $0) }
        ) { server in
            for index in endpoints.indices {
                let client = try RawClient(port: server.port)
                client.send("GET /\(index) HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status == 200)
                encodings.append(reply.value("Content-Encoding"))
            }
        }
        return encodings
    }

    @Test("compression of an endpoint precedes that of defaults, and minimum keeps short answers as they are")
    func compression() throws {
        #expect(try Self.encodings("", ["", "compression: off, "]) == ["gzip", nil])
        #expect(
            try Self.encodings("defaults: {compression: off}", ["", "compression: on, "]) == [nil, "gzip"])
        #expect(try Self.encodings("compression: {minimum: 1MiB}", [""]) == [nil])
        #expect(try Self.encodings("compression: off", ["", "compression: on, "]) == [nil, nil])
    }

    @Test("A request passes through with its body, and the response with its bytes, of any size")
    func proxy() async throws {
        let bench = try FileBench(
            """
            upstreams: {files: {url: "http://files", headers: {X-Key: k}}}
            limits: {requestBody: 10B}
            endpoints:
            - proxy: /files/{path...}
              upstream: files
              at: /store
            """)
        let file = bench.file
        let upstreams = StubUpstreams()
        upstreams["files"].on(.put, "/store/a/{name}").answer { request in
            .response(
                HTTPResponse(status: .created, fields: [.contentType: "image/png"], body: [request.bytes]))
        }
        var configuration = bench.configuration
        configuration.upstreams = [:]
        let body = [UInt8](repeating: 7, count: 300_000)
        try await withGateway(
            .sockets, upstreams: upstreams, configuration: configuration,
            declare: { try file.declare(on: $0) }
        ) { client in
            let reply = try await client.send(.put, "/files/a/b%20c?d=e", body: body)
            #expect(reply.status == .created)
            #expect(Array(reply.body) == body)
            #expect(reply.fields[.contentType] == "image/png")
        }
        let call = try #require(upstreams.requests.first)
        #expect(call.description == "PUT /store/a/b%20c?d=e")
        #expect(call.fields["X-Key"] == "k")
    }
}
