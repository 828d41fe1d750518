import GatewayTesting
import HTTPModel
import Networking
import Testing

@testable import GatewayCore
@testable import GatewayHTTP

extension FileKeys {
    static let proxies: [KeyExample] = [
        KeyExample.endpoint(
            "proxyEndpoint.proxy proxyEndpoint.upstream", "proxy: /images/{path...}\n  upstream: api"
        ) {
            bench async throws in
            bench.answers = [
                "/a/b.png": .response(
                    HTTPResponse(
                        status: .accepted, fields: [.contentType: "image/png", .setCookie: "a=b"],
                        body: [[1, 2][...]]))
            ]
            let reply = try await bench.ask(.post, "/images/a/b.png?w=1", json: "[1]")
            #expect(reply.status == .accepted)
            #expect(reply.fields[.contentType] == "image/png")
            #expect(reply.fields[.setCookie] == nil)
            #expect(Array(reply.body) == [1, 2])
            #expect(bench.calls.map(\.description) == ["POST /a/b.png?w=1"])
            #expect(bench.calls[0].body == "[1]")
        },
        KeyExample.endpoint("proxyEndpoint.at", "proxy: /images/{path...}\n  upstream: api\n  at: /pictures")
        { bench async throws in
            _ = try await bench.ask("/images/a")
            #expect(bench.calls[0].path == "/pictures/a")
        },
        KeyExample.endpoint("proxyEndpoint.methods", "{proxy: /a, upstream: api, methods: [GET]}") {
            bench async throws in
            #expect(try await bench.ask("/a").status == .ok)
            #expect(try await bench.ask(.head, "/a").status == .ok)
            #expect(try await bench.ask(.put, "/a").status == .methodNotAllowed)
        },
        KeyExample.endpoint(
            "proxyEndpoint.requestHeaders passedHeaders.add passedHeaders.remove",
            "{proxy: /a, upstream: api, requestHeaders: {add: [X-A], remove: [Accept-Language]}}"
        ) { bench async throws in
            _ = try await bench.ask("/a", ["X-A": "1", "X-B": "2", .accept: "a/b", .acceptLanguage: "ko"])
            let fields = bench.calls[0].fields
            #expect(fields["X-A"] == "1")
            #expect(fields["X-B"] == nil)
            #expect(fields[.accept] == "a/b")
            #expect(fields[.acceptLanguage] == nil)
        },
        KeyExample.endpoint(
            "proxyEndpoint.responseHeaders",
            "{proxy: /a, upstream: api, at: /a, responseHeaders: [Set-Cookie]}"
        ) {
            bench async throws in
            bench.answers = ["/a": .json("1", fields: [.setCookie: "a=b", "X-A": "1"])]
            let reply = try await bench.ask("/a")
            #expect(reply.fields[.setCookie] == "a=b")
            #expect(reply.fields["X-A"] == nil)
        },
        KeyExample.endpoint("proxyEndpoint.bodyLimit", "{proxy: /a, upstream: api, bodyLimit: 4B}") {
            bench async throws in
            #expect(try bench.settings(of: .get, "/a").bodyLimit == 4)
        },
        KeyExample.endpoint(
            "proxyEndpoint.deadline", "{proxy: /a, upstream: api, at: /a, methods: [GET], deadline: 2s}"
        ) {
            bench async throws in
            bench.answers = ["/a": .hangs]
            let reply = try await bench.ask("/a")
            #expect(reply.status == .gatewayTimeout)
            #expect(reply.elapsed == .seconds(2))
        },
        KeyExample.endpoint("proxyEndpoint.forward", "{proxy: /a, upstream: api, forward: [X-A, Accept]}") {
            bench async throws in
            _ = try await bench.ask("/a", ["X-A": "1", .accept: "a/b"])
            #expect(bench.calls[0].fields["X-A"] == "1")
            #expect(bench.calls[0].fields.values(of: .accept).count == 1)
        },
        KeyExample.endpoint("proxyEndpoint.credentials", "{proxy: /a, upstream: api, credentials: [api]}") {
            bench async throws in
            _ = try await bench.ask("/a", [.authorization: "Bearer t", .cookie: "a=b"])
            #expect(bench.calls[0].fields[.authorization] == "Bearer t")
            #expect(bench.calls[0].fields[.cookie] == nil)
        },
        KeyExample.endpoint("proxyEndpoint.cookies", "{proxy: /a, upstream: api, cookies: [api]}") {
            bench async throws in
            _ = try await bench.ask("/a", [.authorization: "Bearer t", .cookie: "a=b"])
            #expect(bench.calls[0].fields[.cookie] == "a=b")
        },
        KeyExample.endpoint(
            "proxyEndpoint.concurrency proxyEndpoint.compression proxyEndpoint.slow",
            "{proxy: /a, upstream: api, concurrency: 7, compression: off, slow: 3s}"
        ) { bench async throws in
            #expect(try bench.settings(of: .get, "/a").slow == .seconds(3))
            #expect(try bench.settings(of: .get, "/a").concurrency == 7)
            #expect(try !bench.settings(of: .get, "/a").compresses)
        },
        KeyExample.endpoint(
            "proxyEndpoint.answer proxyAnswer.envelope",
            "{proxy: /a, upstream: api, at: /a, answer: {envelope: bare}}"
        ) {
            bench async throws in
            bench.answers = ["/a": .resets]
            let reply = try await bench.ask(.post, "/a")
            #expect(reply.status == .badGateway)
            #expect(reply.fields[.contentType] == "application/problem+json")
        },
        KeyExample(
            "upstream.headers proxyEndpoint.requestHeaders",
            file: """
                upstreams: {api: {url: "http://api", headers: {X-Key: own}}}
                endpoints: [{proxy: /a, upstream: api, requestHeaders: [X-Key]}]
                """
        ) { bench async throws in
            _ = try await bench.ask("/a", ["X-Key": "client"])
            #expect(bench.calls[0].fields.values(of: "X-Key") == ["own"])
        },
    ]
}
