import Foundation
import GatewayTesting
import Sluice
import Testing

@testable import Metered

/// Runs the program of the recipes for files and metrics.
@Suite("The recipe for files and metrics", .timeLimit(.minutes(1)))
struct MeteredTests {
    /// A folder with a page, and room for the socket of the admin listener.
    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try "<p>page</p>".write(
            to: folder.appendingPathComponent("index.html"), atomically: true, encoding: .utf8)
        try await body(folder)
    }

    /// Reads `/metrics` as the page shows it.
    private static func metrics(from socket: String) throws -> [Substring] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "curl", "-sS", "--fail", "--max-time", "20", "--unix-socket", socket, "http://localhost/metrics",
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return text.split(separator: "\n")
    }

    @Test("Files are served beside the endpoints, to scripts of one origin")
    func files() async throws {
        try await Self.withFolder { folder in
            try await withGateway(
                configuration: configuration(folder: folder.path), declare: declareOrders
            ) { client in
                let page = try await client.get("/", [.origin: "https://shop.example"])
                #expect(page.text == "<p>page</p>")
                #expect(page.fields[.cacheControl]?.contains("max-age=3600") == true)
                let order = try await client.post(
                    "/orders", json: #"{"kind":"book","euros":12}"#, [.origin: "https://shop.example"])
                #expect(order.status == .created)
                #expect(order.fields[.accessControlAllowOrigin] == "https://shop.example")
            }
        }
    }

    @Test("An order that is not valid is not counted; others are, by kind and amount, on the admin listener")
    func counts() async throws {
        try await Self.withFolder { folder in
            let socket = folder.appendingPathComponent("admin").path
            var configuration = configuration(folder: folder.path)
            configuration.admin.listen = [try #require(AdminAddress("unix:\(socket)"))]
            try await withGateway(configuration: configuration, declare: declareOrders) { client in
                let refused = try await client.post("/orders", json: #"{"kind":"car","euros":9}"#)
                #expect(refused.status == .badRequest)
                for order in [
                    #"{"kind":"book","euros":12.5}"#, #"{"kind":"book","euros":30}"#,
                    #"{"kind":"voucher","euros":50}"#,
                ] {
                    #expect(try await client.post("/orders", json: order).status == .created)
                }
                // The public port has no such path.
                #expect(try await client.get("/metrics").status == .notFound)
                let lines = try Self.metrics(from: socket)
                #expect(lines.filter { $0.hasPrefix("order") }.joined(separator: "\n") == Self.shown)
                #expect(lines.contains { $0.hasPrefix(#"sluice_http_requests_total{route="/orders""#) })
            }
        }
    }

    /// What the recipe prints.
    private static let shown = """
        order_amount_euros_bucket{le="10.0"} 0
        order_amount_euros_bucket{le="50.0"} 3
        order_amount_euros_bucket{le="200.0"} 3
        order_amount_euros_bucket{le="+Inf"} 3
        order_amount_euros_sum 92.5
        order_amount_euros_count 3
        orders_total{kind="book"} 2
        orders_total{kind="voucher"} 1
        """
}
