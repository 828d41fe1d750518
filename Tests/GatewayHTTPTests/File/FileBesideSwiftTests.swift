import GatewayCore
import HTTPModel
import JSONBytes
import Locking
import Networking
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Endpoints in Swift beside a file", .timeLimit(.minutes(2)))
struct FileBesideSwiftTests {
    private struct API: TargetType {
        // Never called: the file has the address.
        var baseURL: String { "http://127.0.0.1:1" }
        var path: RequestPath { "/y" }
    }

    @Test("A provider has the file's URL, retries and time limits, unless it has a policy of its own")
    func provider() throws {
        let upstream = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n" }
        ])
        defer { upstream.stop() }
        let text = FileGateway.text([
            "a": (upstream.port, ", retry: {attempts: 2, base: 1ms, cap: 1ms}, breaker: off")
        ]).replacing("\(upstream.port)", with: "\(upstream.port)/api")
        let gateway = try FileGateway.beside(text) { gateway in
            let standard = gateway.provider(API.self, upstream: "a")
            var policy = CallPolicy()
            policy.retry.maxAttempts = 1
            let own = gateway.provider(API.self, upstream: "a", policy: policy)
            gateway.get("/standard") { _ in .parts(part: standard.rx.request(API()).fragment()) }
            gateway.get("/own") { _ in .parts(part: own.rx.request(API()).fragment()) }
        }
        defer { gateway.stop() }
        #expect(try gateway.get("/standard").status == 503)
        #expect(upstream.requests.count == 2)
        #expect(upstream.requests.allSatisfy { $0.hasPrefix("GET /api/y ") })
        #expect(try gateway.get("/own").status == 503)
        #expect(upstream.requests.count == 3)
    }

    @Test("The closure declares for each generation, and its endpoints follow a changed URL")
    func generations() throws {
        let upstreams = try (0..<2).map { index in
            try ScriptedUpstream([.answer { _ in FileGateway.ok("\(index)") }])
        }
        defer { for upstream in upstreams { upstream.stop() } }
        let count = Lock(0)
        let gateway = try FileGateway.beside(FileGateway.text(["a": (upstreams[0].port, "")])) { gateway in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let a = gateway.provider(API.self, upstream: "a")
            gateway.get("/swift") { _ in
                .parts(
                    part: a.rx.request(API()).fragment(),
                    generation: Single.just(JSONFragment(string: "\(number)")))
            }
        }
        defer { gateway.stop() }
        #expect(try gateway.get("/swift").text.contains(#""part":0,"generation":"1""#))
        try gateway.reload(FileGateway.text(["a": (upstreams[1].port, "")]))
        #expect(try gateway.get("/swift").text.contains(#""part":1,"generation":"2""#))
        #expect(try gateway.get("/a").text.contains(#""part":1"#))
    }

    @Test("A path in both is an error with the file's place, at the start and at a reload")
    func pathInBoth() throws {
        let file = "version: 1\nendpoints:\n- get: /a/{x}\n  parts: {is: {value: 1}}\n"
        let complaint = "sluice.yaml:3:3: error: GET /a/{x} is declared in Swift, too"
        let declare: @Sendable (Gateway) throws -> Void = { gateway in
            gateway.get("/a/{y}") { _ in Answer.json(1) }
        }
        #expect {
            try FileGateway(file, declare: declare)
        } throws: { error in
            "\(error)".hasSuffix(complaint)
        }
        let gateway = try FileGateway("version: 1\n", declare: declare)
        defer { gateway.stop() }
        #expect(try gateway.problems(of: file) == [complaint])
        #expect(try gateway.get("/a/1").text.contains("1"))
    }

    @Test("An upstream that only Swift calls causes no warning, and an error of the closure refuses a reload")
    func closure() throws {
        struct Refusal: Error, CustomStringConvertible {
            var description: String { "not today" }
        }
        let refuses = Lock(false)
        let gateway = try FileGateway.beside("version: 1\nupstreams: {a: {url: \"http://127.0.0.1:1\"}}\n") {
            gateway in
            if refuses.withLock({ $0 }) { throw Refusal() }
            gateway.get("/a") { _ in Answer.json(7) }
        }
        defer { gateway.stop() }
        let file = try #require(gateway.server.file)
        #expect(try file.read().result.get().file.warnings.isEmpty)
        refuses.withLock { $0 = true }
        #expect(throws: GatewayReloadError.self) { try gateway.server.reload() }
        #expect(try gateway.get("/a").text.contains("7"))
    }

    @Test("A reload replaces a job by the job of the same name, and the hooks of the start stay")
    func jobs() async throws {
        let count = Lock(0)
        let log = EventLog()
        let gateway = try FileGateway.beside("version: 1\n") { gateway in
            let number = count.withLock { count in
                count += 1
                return count
            }
            gateway.every(.milliseconds(1), named: "job") { log.add("job \(number)") }
            gateway.onStop { log.add("stop \(number)") }
        }
        try await log.wait(for: "job 1")
        try gateway.server.reload()
        // Runs of a job do not overlap, so the first closure does not run any more.
        try await log.wait(for: "job 2")
        let before = log.count("job 1")
        try spin(while: log.count("job 2") < 4) { log.recent }
        #expect(log.count("job 1") == before)
        gateway.stop()
        #expect(log.count("stop 1") == 1)
        #expect(log.count("stop 2") == 0)
    }
}
