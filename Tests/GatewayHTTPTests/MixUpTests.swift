import Dispatch
import Foundation
import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// No client gets another client's bytes, even if clients leave and connections end. `make soak PROOF=mixups`
/// runs longer.
@Suite("Mix-ups")
struct MixUpTests {
    private struct EchoAPI: TargetType {
        var number: Int
        var isLate: Bool

        var baseURL: String { "http://127.0.0.1:1" }
        var path: RequestPath { "/echo" }
        var task: RequestTask { .parameters(["number": number, "late": isLate], encoding: .query) }
    }

    /// Counts the requests to the upstream.
    private final class Asked: Sendable {
        let count = Lock(0)
    }

    /// Requests counted by outcome.
    private struct Counts: Sendable {
        var answered = 0
        var left = 0
        var failed = 0
        var mixed: [String] = []

        mutating func add(_ other: Counts) {
            answered += other.answered
            left += other.left
            failed += other.failed
            mixed += other.mixed
        }
    }

    @Test(
        "Each client gets its own answers, although clients abandon requests and the upstream resets connections"
    )
    func nobodyGetsAnothersBytes() async throws {
        let asked = Asked()
        let echo = StubUpstream { request in
            let number = asked.count.withLock { count in
                count += 1
                return count
            }
            if number % 97 == 0 { return .resets }
            let id = request.fields[.xRequestID] ?? "none"
            let answer = StubUpstream.Answer.json(#"{"query":"\#(request.query ?? "none")","id":"\#(id)"}"#)
            return number % 5 == 0 ? answer.after(.milliseconds(number % 4)) : answer
        }
        @Sendable func declare(on gateway: Gateway) {
            let echo = gateway.provider(EchoAPI.self, upstream: "echo")
            gateway.get("/page") { request in
                let number = try request.query("number", as: Int.self)
                return .parts(
                    early: echo.rx.request(EchoAPI(number: number, isLate: false)).fragment(),
                    late: echo.rx.request(EchoAPI(number: number, isLate: true)).fragment())
            }
        }
        let counts = try await withGateway(upstreams: ["echo": echo], declare: declare) { client in
            let port = try #require(client.url.split(separator: ":").last.flatMap { Int($0) })
            return await withTaskGroup(of: Counts.self) { group in
                for index in 0..<16 {
                    group.addTask { await onThread { Self.ask(port, first: index * 1_000, count: 150) } }
                }
                return await group.reduce(into: Counts()) { $0.add($1) }
            }
        }
        #expect(counts.mixed == [])
        #expect(counts.answered > 1_400)
        #expect(counts.left == 16 * 50)
        #expect(counts.failed < 50)
        #expect(counts.answered + counts.left + counts.failed == 16 * 150)
    }

    /// Sends `count` requests, numbered from `first`, and abandons every third.
    private static func ask(_ port: Int, first: Int, count: Int) -> Counts {
        var counts = Counts()
        var client: RawClient?
        for number in first..<(first + count) {
            let id = "id-\(number)"
            if client == nil { client = try? RawClient(port: port) }
            client?.send(
                "GET /page?number=\(number) HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: \(id)\r\n\r\n")
            guard number % 3 != 0 else {
                if number % 2 == 0 { client?.reset() }
                client = nil
                counts.left += 1
                continue
            }
            let answer = client?.receive()
            let parts = [("early", "false"), ("late", "true")].map { name, isLate in
                #""\#(name)":{"query":"number=\#(number)&late=\#(isLate)","id":"\#(id)"}"#
            }
            let expected =
                #"{"code":"OK","message":"success","status":200,"data":{\#(parts.joined(separator: ","))},"#
            let isMine =
                answer?.value("X-Request-Id") == id && answer?.text.contains(#""requestId":"\#(id)""#) == true
            if isMine, answer?.status == 200, answer?.text.hasPrefix(expected) == true {
                counts.answered += 1
            } else if isMine, answer?.status == 502, answer?.text.contains(#""data":null"#) == true {
                counts.failed += 1
            } else {
                counts.mixed.append("\(id) got \(answer?.text ?? "nothing")")
            }
        }
        return counts
    }

    /// Runs blocking work outside the threads that tasks use.
    private func onThread(_ work: @escaping @Sendable () -> Counts) async -> Counts {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: work())
            }
        }
    }
}
