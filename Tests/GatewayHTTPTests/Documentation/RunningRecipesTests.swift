import EventIO
import GatewayCore
import Glibc
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

/// Compiles and runs the recipes about what surrounds endpoints.
@Suite("The recipes for a gateway that runs", .timeLimit(.minutes(1)))
struct RunningRecipesTests {
    func declareOrderLog(on gateway: Gateway) {
        gateway.post("/orders/{id}/placed") { request in
            let id = try request.path("id", as: Int.self)
            request.log(.info, "order placed", ["order": id, "euros": 12.5, "kinds": ["book", "voucher"]])
            return .json(["order": .init(id)])
        }
    }

    func declareReports(on gateway: Gateway, _ database: Database) {
        gateway.get("/reports/{year}") { request in
            let year = try request.path("year", as: Int.self)
            let sales = try await request.blocking { try database.sales(in: year) }
            return .json(["year": .init(year), "sales": .init(sales)])
        }
        gateway.get("/overview") { request in
            .parts(
                version: 2,
                sales: Part.task { try await request.blocking { try database.sales(in: 2026) } }.optional())
        }

        let total = gateway.shared("total", for: .seconds(60)) {
            try await gateway.blocking { try database.sales(in: 2024) }
        }
        gateway.get("/total") { _ in .parts(total: total) }
    }

    /// A database in a library that blocks.
    struct Database: Sendable {
        struct NoSales: Error {}

        /// Called on another thread than the loops'.
        func sales(in year: Int) throws -> Int {
            guard EventLoop.current == nil else { throw NoSales() }
            return year - 2000
        }
    }

    @Test("Code that blocks runs on another thread, and its value is the handler's or a part")
    func reports() throws {
        _ = try withLoggedGateway(
            configure: { _ in }, declare: { declareReports(on: $0, Database()) },
            { server in
                let client = try RawClient(port: server.port)
                let report = try #require(client.get("/reports/2025"))
                #expect(report.status == 200)
                #expect(report.text.contains(#""data":{"year":2025,"sales":25}"#))
                let overview = try #require(client.get("/overview"))
                #expect(overview.text.contains(#""data":{"version":2,"sales":26}"#))
                let total = try #require(client.get("/total"))
                #expect(total.text.contains(#""data":{"total":24}"#))
            })
    }

    @Test("An endpoint's line in the log has the ids of its request's line in the access log")
    func orderLog() throws {
        let errors = RawPipe()
        defer { close(errors.reader) }
        let access = try withLoggedGateway(
            errors: errors.writer,
            configure: {
                $0.accessLog = .on
                $0.logLevel = .info
            },
            declare: declareOrderLog,
            { server in
                let client = try RawClient(port: server.port)
                #expect(client.post("/orders/7/placed", body: "")?.status == 200)
            })
        close(errors.writer)
        let text = try #require(
            errors.readAll().split(separator: "\n").first { $0.contains("order placed") })
        let line = try JSONFragment(validating: Array(text.utf8)[...])
        for id in ["requestId", "traceId"] {
            #expect(line[member: id]?.stringValue != nil)
            #expect(line[member: id]?.stringValue == access.first?[member: id]?.stringValue)
        }
        #expect(
            text.hasSuffix(
                #","route":"/orders/{id}/placed","order":7,"euros":12.5,"kinds":["book","voucher"]}"#))
    }
}
