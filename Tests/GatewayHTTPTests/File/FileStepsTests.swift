import GatewayConfig
import GatewayTesting
import HTTPModel
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

/// The promises of the article "Reference of the file" about `first`.
@Suite("Steps of a file", .timeLimit(.minutes(1)))
struct FileStepsTests {
    private static func file(_ endpoint: String, _ upstreams: String = "") -> String {
        """
        upstreams:
          api: {url: "http://api", breaker: off, retry: {base: 1ms, cap: 1ms}}
          other: {url: "http://other", emptyBody: true}
        \(upstreams)
        endpoints:
        - \(endpoint)
        """
    }

    /// Three writes that do not read each other, a group, and two parts.
    private static let order = file(
        """
        post: /x
          first:
            reserve: {upstream: api, post: /reserve}
            charge: {upstream: api, post: /charge}
            news: {parts: {mail: {upstream: api, post: /mail}, sms: {upstream: other, delete: /sms}}}
            close: {upstream: api, put: /close}
          parts:
            a: {upstream: api, get: "/a/{first.reserve.id}/{first.news.sms.id}", optional: true}
            b: {upstream: other, get: "/b/{first.news.mail.id}", optional: true}
        """)

    /// Where an order ends if a step fails, by the path of the failed call.
    private static let ends: [(failing: String, calls: Set<String>, errors: String?)] = [
        ("", ["/reserve", "/charge", "/mail", "/sms", "/close", "/a/7/7", "/b/7"], nil),
        ("/reserve", ["/reserve"], "reserve"), ("/charge", ["/reserve", "/charge"], "charge"),
        ("/mail", ["/reserve", "/charge", "/mail", "/sms"], "news.mail"),
        ("/sms", ["/reserve", "/charge", "/mail", "/sms"], "news.sms"),
        ("/close", ["/reserve", "/charge", "/mail", "/sms", "/close"], "close"),
    ]

    @Test(
        "Nothing is sent after a failed step, though no step reads another",
        arguments: [GatewayWorld.virtualTime, .sockets], ends.indices)
    func failure(world: GatewayWorld, end: Int) async throws {
        let (failing, calls, error) = Self.ends[end]
        let stubs = StubUpstreams()
        for upstream in ["api", "other"] {
            stubs[upstream].onAny.answer {
                $0.path == failing ? .status(.conflict) : .json(#"{"id":7}"#)
            }
        }
        let bench = try FileBench(Self.order)
        var configuration = bench.configuration
        configuration.upstreams = [:]
        let file = bench.file
        let reply = try await withGateway(
            world, upstreams: stubs, configuration: configuration, declare: { try file.declare(on: $0) }
        ) { try await $0.send(.post, "/x") }
        #expect(reply.status == (error == nil ? .ok : .conflict))
        // The gateway has drained, so no further call can come.
        #expect(Set(stubs.requests.map(\.path)) == calls)
        #expect(stubs.requests.count == calls.count)
        #expect(try reply.text(at: "/errors/0/part") == error.map { "\"\($0)\"" })
        #expect(try reply.text(at: "/errors/1") == nil)
    }

    @Test("A step is sent after the one before it has ended with all its attempts, and parts after the last")
    func order() async throws {
        let bench = try FileBench(Self.order)
        let answer = StubUpstream.Answer.json(#"{"id":7}"#).after(.seconds(1))
        for path in ["/reserve", "/charge", "/mail", "/close", "/a/7/7", "/b/7"] {
            bench.answers[path] = answer
        }
        bench.answers["/sms"] = .json(#"{"id":7}"#).after(.seconds(2))
        let reply = try await bench.ask(.post, "/x")
        #expect(try reply.data == #"{"a":{"id":7},"b":{"id":7}}"#)
        // 1 and 1, 2 for the group, 1, and 1 for the parts.
        #expect(reply.elapsed == .seconds(6))
        #expect(
            bench.calls.map(\.path) == ["/reserve", "/charge", "/mail", "/sms", "/close", "/a/7/7", "/b/7"])
    }

    @Test("The plan's worst time and calls are those of the slowest request", arguments: [false, true])
    func plan(failing: Bool) async throws {
        let bench = try FileBench(
            Self.file(
                """
                post: /x
                  first:
                    reserve: {upstream: api, post: /reserve, timeout: 1s}
                    charge: {upstream: api, post: /charge, timeout: 2s}
                    news: {parts: {mail: {upstream: api, post: /mail, timeout: 3s}, sms: {upstream: other, patch: /sms, timeout: 4s}}}
                  data: {upstream: api, post: /a, timeout: 1s, optional: true}
                """))
        let just = Duration.milliseconds(10)
        for (path, seconds) in [("/reserve", 1), ("/charge", 2), ("/mail", 3), ("/sms", 4), ("/a", 1)] {
            bench.answers[path] = .json("1").after(.seconds(seconds) - just)
        }
        if failing { bench.answers["/reserve"] = .status(.conflict) }
        let reply = try await bench.ask(.post, "/x")
        guard case .calls(let plan)? = try EndpointReport.plans(of: bench.file.document).first else {
            Issue.record("no plan")
            return
        }
        #expect(plan.slowest == ["first.reserve", "first.charge", "first.news.sms", "data"])
        if failing {
            #expect(bench.calls.count == plan.calls.least)
        } else {
            #expect(plan.worst.value == 8_000_000_000)
            #expect(reply.elapsed == .seconds(8) - just * 4)
            #expect(bench.calls.count == plan.calls.most.value)
        }
    }

    @Test("A step that is tried again has not ended")
    func attempts() async throws {
        let bench = try FileBench(
            Self.file(
                """
                post: /x
                  first:
                    lock: {upstream: api, put: /lock}
                    charge: {upstream: api, post: /charge}
                  data: {value: 1, optional: true}
                """))
        bench.answers["/lock"] = .status(.serviceUnavailable)
        #expect(try await bench.ask(.post, "/x").status == .serviceUnavailable)
        #expect(bench.calls.map(\.path) == ["/lock", "/lock", "/lock"])
    }

    @Test(
        "An empty body fails a step that may not have one, and nothing is sent after it",
        arguments: [false, true])
    func emptyBody(allowed: Bool) async throws {
        let bench = try FileBench(
            Self.file(
                """
                post: /x
                  first:
                    save: {upstream: \(allowed ? "other" : "api"), put: /save}
                    mail: {upstream: api, post: /mail}
                  data: {value: "{first.mail}", optional: true}
                """))
        bench.answers["/save"] = .response(HTTPResponse(status: .ok))
        let reply = try await bench.ask(.post, "/x")
        #expect(reply.status == (allowed ? .ok : .badGateway))
        #expect(bench.calls.map(\.path) == (allowed ? ["/save", "/mail"] : ["/save"]))
        #expect(try reply.text(at: "/errors/0/reason") == (allowed ? nil : #""decode_error""#))
    }

    @Test("Steps, steps of a group and parts get the same fields of the client")
    func fields() async throws {
        let bench = try FileBench(
            Self.file(
                """
                post: /x
                  forward: [X-Tenant]
                  credentials: [api]
                  first:
                    a: {upstream: api, post: /a}
                    g: {parts: {b: {upstream: other, post: /b}, c: {upstream: api, post: /c}}}
                  data: {upstream: api, get: /d, optional: true}
                """))
        _ = try await bench.ask(.post, "/x", ["X-Tenant": "t", .authorization: "Bearer x"])
        #expect(bench.calls.map(\.path) == ["/a", "/b", "/c", "/d"])
        #expect(bench.calls.map { $0.fields["X-Tenant"] } == ["t", "t", "t", "t"])
        #expect(bench.calls.map { $0.fields[.authorization] } == ["Bearer x", nil, "Bearer x", "Bearer x"])
    }

    @Test("The access log has an object for each step that was sent, and one for the steps of a group")
    func log() throws {
        let upstream = try ScriptedUpstream([
            .answer { request in
                let status = request.hasPrefix("POST /close ") ? "409 Conflict" : "200 OK"
                return "HTTP/1.1 \(status)\r\nContent-Length: 1\r\n\r\n1"
            }
        ])
        defer { upstream.stop() }
        let file = try FileBench(
            """
            upstreams: {api: {url: "http://127.0.0.1:\(upstream.port)"}}
            endpoints:
            - post: /x
              first:
                reserve: {upstream: api, post: /reserve}
                news: {parts: {mail: {upstream: api, post: /mail}, sms: {upstream: api, post: /sms}}}
                close: {upstream: api, post: /close}
                last: {upstream: api, post: /last}
              data: {value: 1, optional: true}
            """
        ).file
        let lines = try withLoggedGateway(
            configure: { file.apply(to: &$0) }, declare: { try file.declare(on: $0) }
        ) { server in
            let client = try RawClient(port: server.port)
            client.send("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            #expect(try client.reply().status == 409)
        }
        let steps = try #require(lines.first?[member: "steps"]).elements
        #expect(steps.map { $0.members.map(\.name) } == [["reserve"], ["news.mail", "news.sms"], ["close"]])
        let kinds = steps.flatMap(\.members).map { $0.value[member: "kind"]?.stringValue }
        #expect(kinds == ["success", "success", "success", "requestErr"])
        #expect(lines.first?[member: "parts"] == nil)
        #expect(upstream.requests.count == 4)
    }
}
