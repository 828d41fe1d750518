import GatewayCore
import JSONBytes
import Rx
import Synchronization
import TestSupport
import Testing

@testable import GatewayHTTP

final class Metrics: Sendable {
    private let requests = Atomic(0)
    private let partial = Atomic(0)
    private let failures = Atomic(0)

    func add(_ request: FinishedRequest) {
        requests.add(1, ordering: .relaxed)
        if request.summary?.code == "PARTIAL" { partial.add(1, ordering: .relaxed) }
        if request.status >= 500 { failures.add(1, ordering: .relaxed) }
    }

    var text: String {
        """
        requests_total \(requests.load(ordering: .relaxed))
        partial_answers_total \(partial.load(ordering: .relaxed))
        failures_total \(failures.load(ordering: .relaxed))

        """
    }
}

/// Compiles and runs the recipes about running a gateway.
@Suite("The recipes for running a gateway", .timeLimit(.minutes(1)))
struct RunningRecipesTests {
    @Test("Metrics count what the observer gets, and an endpoint shows them")
    func metrics() throws {
        _ = try withLoggedGateway { configuration in
            let metrics = Self.metrics
            configuration.observer = { request in metrics.add(request) }
        } declare: { gateway in
            let metrics = Self.metrics
            gateway.get("/metrics") { _ in .text(metrics.text) }
            gateway.get("/page") { _ in .parts(a: 1, b: Self.failing.optional()) }
            gateway.get("/failure") { _ in throw GatewayError.badGateway("The upstream is gone") }
        } _: { server in
            let client = try RawClient(port: server.port)
            for target in ["/page", "/failure", "/none"] { _ = try client.ask(target) }
            let expected = """
                requests_total 3
                partial_answers_total 1
                failures_total 1
                """
            #expect(try client.ask("/metrics").text == expected + "\n")
        }
    }

    private static let metrics = Metrics()
    private static let failing = Single<JSONFragment>.error(GatewayError.conflict("No"))

    @Test("A folder is served at the paths that no endpoint takes, with an age for caches")
    func files() throws {
        let fixture = try FileFixture()
        try fixture.write("index.html", "<p>page</p>")
        let folder = fixture.root
        _ = try withLoggedGateway { configuration in
            var files = StaticFiles.folder(folder)
            files.maxAge = .seconds(3600)
            configuration.files = files
        } declare: { gateway in
            gateway.get("/api/hello") { _ in .json("hello") }
        } _: { server in
            let client = try RawClient(port: server.port)
            let page = try client.ask("/")
            #expect(page.text == "<p>page</p>")
            #expect(page.value("Cache-Control")?.contains("max-age=3600") == true)
            #expect(try client.ask("/api/hello").text.contains(#""data":"hello""#))
        }
    }

    @Test("Without a budget for retries, a call has one attempt, and the answer says why")
    func budget() throws {
        _ = try withLoggedGateway { configuration in
            configuration.retryBudget = RetryBudget(floor: 0, percentage: 10)
        } declare: { gateway in
            // Nobody listens on its port.
            let parts = gateway.provider(PartsAPI.self, upstream: "parts")
            gateway.get("/page") { _ in .parts(first: parts.rx.request(.first).fragment()) }
        } _: { server in
            let text = try RawClient(port: server.port).ask("/page").text
            #expect(text.contains(#""attempts":1,"notRetried":"budget""#), "\(text)")
        }
    }
}
