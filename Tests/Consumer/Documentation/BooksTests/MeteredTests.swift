import Foundation
import GatewayTesting
import Sluice
import Testing

@testable import Metered

/// Runs the program of the recipes for files and metrics.
@Suite("The recipe for files and metrics")
struct MeteredTests {
    private static func declare(on gateway: Gateway, _ metrics: Metrics) {
        declareMetrics(on: gateway, metrics)
        gateway.get("/partial") { _ in
            .parts(a: 1, b: Single<JSONFragment>.error(GatewayError.conflict("No")).optional())
        }
        gateway.get("/failure") { _ in throw GatewayError.badGateway("The upstream is gone") }
    }

    @Test("Files are served beside the endpoints, and each request is counted")
    func metrics() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "<p>page</p>".write(
            to: folder.appendingPathComponent("index.html"), atomically: true, encoding: .utf8)
        let metrics = Metrics()
        let configuration = configuration(folder: folder.path, metrics)
        try await withGateway(
            configuration: configuration, declare: { Self.declare(on: $0, metrics) }
        ) { client in
            let page = try await client.get("/", [.origin: "https://shop.example"])
            #expect(page.text == "<p>page</p>")
            #expect(page.fields[.cacheControl]?.contains("max-age=3600") == true)
            let partial = try await client.get("/partial", [.origin: "https://shop.example"])
            #expect(partial.fields[.accessControlAllowOrigin] == "https://shop.example")
            _ = try await client.get("/failure")
            _ = try await client.get("/none")
            let expected = """
                requests_total 4
                partial_answers_total 1
                failures_total 1
                """
            let shown = try await client.get("/metrics")
            #expect(shown.text == expected + "\n")
        }
    }
}
