import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The memory that requests hold", .timeLimit(.minutes(1)))
struct RequestMemoryTests {
    private static let small = 15 * 1024
    private static let large = 64 * 1024

    /// A JSON string of so many bytes.
    private static func text(_ count: Int) -> String {
        "\"" + String(repeating: "x", count: count - 2) + "\""
    }

    /// Serves with 1 MiB for bodies. `api` answers each call, `refusing` with 422, and `silent` none.
    private func serve(
        answer: Int = 2, _ endpoints: String, _ body: (GatewayServer, _ api: ScriptedUpstream) throws -> Void
    ) throws {
        let answer = FileGateway.ok(Self.text(answer))
        let api = try ScriptedUpstream([
            .answer { $0.contains("Refused: yes") ? "HTTP/1.1 422 No\r\nContent-Length: 0\r\n\r\n" : answer }
        ])
        let silent = try ScriptedUpstream([.readRequest, .awaitEnd])
        defer {
            api.stop()
            silent.stop()
        }
        let gateway = try FileGateway(
            """
            version: 1
            limits: {upstreamBodies: 1MiB}
            upstreams:
              api: {url: "http://127.0.0.1:\(api.port)"}
              refusing: {url: "http://127.0.0.1:\(api.port)", headers: {Refused: "yes"}}
              silent: {url: "http://127.0.0.1:\(silent.port)"}
            endpoints:
            \(endpoints)
            """)
        defer { gateway.stop() }
        try body(gateway.server, api)
    }

    private func send(_ path: String, _ json: String, to server: GatewayServer) throws -> RawClient {
        let client = try RawClient(port: server.port)
        client.send(
            "POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(json.utf8.count)\r\n\r\n\(json)")
        return client
    }

    private func waitForBytes(_ range: Range<Int>, in server: GatewayServer) throws {
        try spin(while: !range.contains(server.settled.upstreamBodyBytes)) {
            "\(server.settled.upstreamBodyBytes) bytes instead of \(range)"
        }
    }

    private static func ids(_ count: Int, _ more: String = "") -> String {
        "{\"ids\":[\((0..<count).map { "\"\($0)\"" }.joined(separator: ","))]\(more)}"
    }

    @Test("Small responses count once those of a request are large together")
    func smallResponses() throws {
        try serve(
            answer: Self.small,
            """
            - post: /items
              body: {type: object}
              parts: {items: {upstream: api, get: "/{item}", forEach: "{body.ids}"}}
            - post: /held
              body: {type: object}
              parts:
                items: {upstream: api, get: "/{item}", forEach: "{body.ids}"}
                last: {upstream: silent, get: /x}
            """
        ) { server, api in
            let held = try send("/held", Self.ids(30), to: server)
            // All but the last few, which are not large together.
            try waitForBytes(29 * Self.small..<512 * 1024, in: server)
            let reply = try send("/items", Self.ids(30), to: server).reply()
            #expect(reply.status == 200)
            #expect(reply.text.contains("\"code\":\"PARTIAL\""))
            #expect(reply.text.contains("\"reason\":\"memory_limit\""))
            held.reset()
            try waitForBytes(0..<1, in: server)
            let complete = try send("/items", Self.ids(30), to: server).reply()
            #expect(complete.text.contains("\"complete\":true"))
            try waitForBytes(0..<1, in: server)
        }
    }

    @Test("A few small responses are not charged")
    func fewSmallResponses() throws {
        try serve(
            answer: 1024,
            """
            - post: /held
              body: {type: object}
              parts:
                items: {upstream: api, get: "/{item}", forEach: "{body.ids}"}
                last: {upstream: silent, get: /x}
            """
        ) { server, api in
            let held = try send("/held", Self.ids(10), to: server)
            try spin(while: api.requests.count < 10 || server.settled.calls.leased > 1) {
                "\(server.settled)"
            }
            #expect(server.settled.upstreamBodyBytes == 0)
            held.close()
        }
    }

    private static let posts = """
        - post: /held
          body: {type: object}
          parts: {items: {upstream: silent, post: /x, body: {id: "{item}", text: "{body.text}"}, \
        forEach: "{body.ids}", concurrency: 2}}
        - post: /items
          body: {type: object}
          parts: {items: {upstream: api, post: /x, body: {id: "{item}", text: "{body.text}"}, \
        forEach: "{body.ids}", concurrency: 2}}
        - post: /one
          body: {type: object}
          parts: {one: {upstream: api, post: /x, body: {text: "{body.text}"}}}
        """

    @Test("Of the calls for elements, only the bodies of those in progress are in memory, and they count")
    func bodiesOfItems() throws {
        try serve(Self.posts) { server, api in
            let text = ",\"text\":\(Self.text(Self.large))"
            let held = try send("/held", Self.ids(30, text), to: server)
            try waitForBytes(2 * Self.large..<3 * Self.large, in: server)
            held.reset()
            try waitForBytes(0..<1, in: server)
            // All bodies together would not fit.
            let reply = try send("/items", Self.ids(30, text), to: server).reply()
            #expect(reply.text.contains("\"complete\":true"))
            #expect(api.requests.count == 30)
            try waitForBytes(0..<1, in: server)
        }
    }

    @Test("The body of a call that has failed is in memory no longer")
    func failedBodies() throws {
        try serve(
            """
            - post: /failed
              body: {type: object}
              parts:
                items: {upstream: refusing, post: /x, body: {id: "{item}", text: "{body.text}"}, \
            forEach: "{body.ids}", concurrency: 2}
                last: {upstream: silent, get: /x}
            """
        ) { server, api in
            // All of them together would not fit.
            let client = try send("/failed", Self.ids(30, ",\"text\":\(Self.text(Self.large))"), to: server)
            try spin(while: api.requests.count < 30) { "\(api.requests.count) calls" }
            try waitForBytes(0..<1, in: server)
            client.reset()
        }
    }

    @Test("The elements of a list count while their calls go on")
    func manyElements() throws {
        try serve(
            """
            - post: /held
              body: {type: object}
              parts: {items: {upstream: silent, get: "/{item}", forEach: "{body.ids}", limit: 1000}}
            """
        ) { server, _ in
            let held = try send("/held", Self.ids(1000), to: server)
            try waitForBytes(100 * 1000..<512 * 1024, in: server)
            held.reset()
            try waitForBytes(0..<1, in: server)
        }
    }

    @Test("Small bodies of a request's calls count once they are large together, until the calls end")
    func smallBodies() throws {
        try serve(
            """
            - post: /held
              body: {type: object}
              parts: {items: {upstream: silent, post: /x, body: ["{item}", "{body.text}"], forEach: "{body.ids}", \
            concurrency: 8}}
            - post: /items
              body: {type: object}
              parts: {items: {upstream: api, post: /x, body: ["{item}", "{body.text}"], forEach: "{body.ids}", \
            concurrency: 1}}
            """
        ) { server, api in
            let text = ",\"text\":\(Self.text(Self.small))"
            let held = try send("/held", Self.ids(30, text), to: server)
            try waitForBytes(8 * Self.small..<9 * Self.small, in: server)
            held.reset()
            try waitForBytes(0..<1, in: server)
            // Those that have ended make room for the next.
            let reply = try send("/items", Self.ids(90, text), to: server).reply()
            #expect(reply.text.contains("\"complete\":true"))
            try waitForBytes(0..<1, in: server)
        }
    }

    @Test("A body that finds no room is not sent")
    func noRoomForBody() throws {
        try serve(Self.posts) { server, api in
            let reply = try send("/one", "{\"text\":\(Self.text(600 * 1024))}", to: server).reply()
            #expect(reply.status == 503)
            #expect(["1", "2", "3"].contains(reply.value("Retry-After")))
            #expect(reply.text.contains("\"reason\":\"memory_limit\""))
            #expect(reply.text.contains("too many large bodies are in memory"))
            #expect(api.connections == 0)
            let smaller = try send("/one", "{\"text\":\(Self.text(400 * 1024))}", to: server).reply()
            #expect(smaller.status == 200)
            try waitForBytes(0..<1, in: server)
        }
    }

    @Test("Composed values count until the answer is handed over")
    func composedValues() throws {
        try serve(
            """
            - post: /held
              body: {type: object}
              parts:
                twice: {value: ["{body.text}", "{body.text}"]}
                last: {upstream: silent, get: /x}
            - post: /twice
              body: {type: object}
              parts: {twice: {value: ["{body.text}", "{body.text}"]}}
            """
        ) { server, _ in
            let held = try send("/held", "{\"text\":\(Self.text(Self.large))}", to: server)
            try waitForBytes(2 * Self.large..<3 * Self.large, in: server)
            held.reset()
            try waitForBytes(0..<1, in: server)
            let reply = try send("/twice", "{\"text\":\(Self.text(300 * 1024))}", to: server).reply()
            #expect(reply.status == 503)
            #expect(["1", "2", "3"].contains(reply.value("Retry-After")))
            #expect(reply.text.contains("\"reason\":\"memory_limit\""))
            #expect(reply.text.contains("too many large values are in memory"))
            let smaller = try send("/twice", "{\"text\":\(Self.text(200 * 1024))}", to: server).reply()
            #expect(smaller.status == 200)
            try waitForBytes(0..<1, in: server)
        }
    }
}
