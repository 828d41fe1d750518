import Dispatch
import GatewayCore
import JSONBytes
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The timeline in the log", .timeLimit(.minutes(1)))
struct LoggedTimelineTests {
    private static let unavailable = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"

    /// What a timeline says apart from times.
    private static func shape(_ timeline: JSONFragment?) -> [String] {
        (timeline?.elements ?? []).flatMap { part in
            func text(_ object: JSONFragment, _ names: String...) -> String {
                names.map { object[member: $0]?.description ?? "-" }.joined(separator: " ")
            }
            return [text(part, "part", "omitted")]
                + (part[member: "calls"]?.elements ?? []).flatMap { call in
                    [text(call, "upstream", "method")]
                        + (call[member: "attempts"]?.elements ?? []).map {
                            text($0, "connection", "status", "reason")
                        }
                }
        }
    }

    /// The times of a timeline's parts and attempts; nil for an absent one.
    private static func times(_ timeline: JSONFragment?) -> [Double?] {
        (timeline?.elements ?? []).flatMap { part in
            func times(_ object: JSONFragment, _ names: String...) -> [Double?] {
                names.map { object[member: $0]?.doubleValue }
            }
            return times(part, "beganMs", "endMs")
                + (part[member: "calls"]?.elements ?? []).flatMap { $0[member: "attempts"]?.elements ?? [] }
                .flatMap { times($0, "beganMs", "sentMs", "firstByteMs", "endMs") }
        }
    }

    @Test("It is what the envelope of the same request has, with addresses, kinds and when a connection came")
    func same() throws {
        let upstream = try ScriptedUpstream([.answer { _ in Self.unavailable }])
        defer { upstream.stop() }
        var answered: JSONFragment?
        let lines = try withLoggedGateway {
            $0.limits.allowsTimeline = true
            $0.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)", "down": "http://127.0.0.1:1"]
        } declare: { gateway in
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            let down = gateway.provider(PartsAPI.self, upstream: "down")
            gateway.get("/page") { _ in
                .parts(
                    own: 1, first: parts.rx.request(.first).fragment().optional(),
                    second: down.rx.request(.second).fragment().optional())
            }
        } _: { server in
            let reply = try RawClient(port: server.port).ask("/page", "Prefer: timeline")
            #expect(reply.status == 200)
            answered = try reply.json()[member: "meta"]?[member: "timeline"]
        }
        let logged = try #require(lines.first?[member: "timeline"])
        #expect(Self.shape(logged) == Self.shape(answered))
        #expect(Self.shape(logged).filter { $0.contains("503") }.count == 3)
        let (inLog, inAnswer) = (Self.times(logged), Self.times(answered))
        #expect(inLog.map { $0 == nil } == inAnswer.map { $0 == nil })
        // The log counts from the request's head, the envelope from the start of the endpoint.
        let differences = zip(inLog.compactMap(\.self), inAnswer.compactMap(\.self)).map { $0 - $1 }
        let delay = try #require(differences.min())
        #expect(delay >= -0.002 && (differences.max() ?? .infinity) - delay <= 0.005, "\(differences)")
        let part = try #require(logged[element: 1])
        #expect(part[member: "kind"]?.stringValue == "serverErr")
        let attempts = try #require(part.value(at: "/calls/0/attempts")).elements
        #expect(attempts.allSatisfy { $0[member: "address"]?.stringValue == "127.0.0.1:\(upstream.port)" })
        #expect(attempts.allSatisfy { $0[member: "assignedMs"]?.doubleValue != nil })
        #expect(answered?.description.contains("127.0.0.1") == false)
    }

    @Test("Of a call with 70 attempts 64 are listed, and the line and its drawing say how many are not")
    func omitted() throws {
        let upstream = try ScriptedUpstream([.answer { _ in Self.unavailable }])
        defer { upstream.stop() }
        let lines = try withLoggedGateway {
            $0.upstreams = ["parts": "http://127.0.0.1:\(upstream.port)"]
            $0.upstreamPolicy.breaker = nil
            $0.retryBudget = RetryBudget(floor: 1000)
        } declare: { gateway in
            var policy = CallPolicy()
            policy.retry.maxAttempts = 70
            policy.retry.backoff = .exponential(base: .nanoseconds(1), cap: .nanoseconds(1), jitter: .full)
            let parts = gateway.provider(PartsAPI.self, upstream: "parts", policy: policy)
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server in
            let client = try RawClient(port: server.port)
            #expect(client.get("/page")?.status == 503)
        }
        #expect(upstream.requests.count == 70)
        let line = try #require(lines.first)
        #expect(line.value(at: "/parts/first/calls/0/attempts")?.intValue == 70)
        #expect(line.value(at: "/timeline/0/calls/0/attempts")?.elements.count == TimelineText.mostAttempts)
        #expect(line.value(at: "/timeline/0/omitted")?.intValue == 6)
        #expect(RequestDrawing(line)?.text.hasSuffix("\n  and 6 more attempts\n") == true)
    }
}
