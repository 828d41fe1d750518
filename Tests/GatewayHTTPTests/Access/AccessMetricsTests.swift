import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Callers and limits in metrics, the report and the status", .timeLimit(.minutes(1)))
struct AccessMetricsTests {
    private func visit(_ file: AccessFile) throws {
        for status in [200, 200, 429] { #expect(try file.ask("/me", file.keyField).status == status) }
        #expect(try file.ask("/me").status == 401)
        #expect(try file.ask("/me", "X-API-Key: guessed\r\n").status == 401)
        #expect(try file.ask("/me", file.provider.field("ann", ["exp": 1])).status == 401)
        #expect(try file.ask("/me", file.provider.field("ann")).status == 200)
    }

    @Test(
        "Each entry has a series for each of its results, and each limit one for what it allowed and refused")
    func series() throws {
        try withAccessFile { file throws in
            func lines(_ name: String) -> Set<Substring> {
                file.server.metricLines.filter { $0.hasPrefix(name + "{") }
            }
            // From the start, so that a rate has a first value. The loop has begun by then.
            _ = file.server.settled
            #expect(lines("sluice_auth_total").contains(#"sluice_auth_total{entry="mobile",result="ok"} 0"#))
            try visit(file)
            try spin(
                while: lines("sluice_auth_total") != [
                    #"sluice_auth_total{entry="mobile",result="ok"} 1"#,
                    #"sluice_auth_total{entry="mobile",result="invalid"} 0"#,
                    #"sluice_auth_total{entry="mobile",result="expired"} 1"#,
                    #"sluice_auth_total{entry="partners",result="ok"} 2"#,
                    #"sluice_auth_total{entry="partners",result="invalid"} 1"#,
                    #"sluice_auth_total{entry="partners",result="limited"} 1"#,
                    #"sluice_auth_total{entry="_none",result="none"} 1"#,
                ]
            ) { "\(lines("sluice_auth_total"))" }
            #expect(
                lines("sluice_rate_limit_total") == [
                    #"sluice_rate_limit_total{limit="perCaller",result="allowed"} 3"#,
                    #"sluice_rate_limit_total{limit="perCaller",result="limited"} 1"#,
                    #"sluice_rate_limit_total{limit="perClient",result="allowed"} 7"#,
                    #"sluice_rate_limit_total{limit="perClient",result="limited"} 0"#,
                ])
        }
    }

    @Test("The report has the same by entry and by limit, as a whole and as the status of the admin listener")
    func report() throws {
        try withAccessFile { file throws in
            #expect(file.server.settled.access.callers.isEmpty)
            try visit(file)
            let access = file.server.settled.access
            #expect(access.callers["partners"] == ["ok": 2, "invalid": 1, "limited": 1])
            #expect(access.callers["mobile"] == ["ok": 1, "expired": 1])
            #expect(access.callers["_none"] == ["none": 1])
            #expect(access.limits["perCaller"] == RateLimitReport(allowed: 3, limited: 1))
            #expect(access.storeErrors.isEmpty)
            let status = file.server.status([[:]]).fragment
            let told = status[member: "access"]
            #expect(told?.value(at: "/callers/partners/limited")?.intValue == 1)
            #expect(told?.value(at: "/limits/perCaller/limited")?.intValue == 1)
        }
    }

    @Test("A gateway without entries and limits has no series of them, and no member in its status")
    func open() throws {
        _ = try withLoggedGateway(configure: { _ in }, declare: { $0.get("/open") { _ in .json(1) } }) {
            server throws in
            #expect(try server.ask("/open").status == 200)
            let lines = server.metricLines
            #expect(!lines.contains { $0.contains("sluice_auth") || $0.contains("sluice_rate_limit") })
            #expect(server.status([[:]]).fragment[member: "access"] == nil)
        }
    }

    @Test("An explained request is checked as a client's, and its record and drawing say what was decided")
    func explained() throws {
        let key = try TestAPIKey("shop")
        try withAdminGateway(declare: { gateway in
            gateway.auth("partners", .apiKeys(APIKeySettings(lines: [key.line])))
            gateway.rateLimit("two", RateLimit(key: [.identity], rate: 2, per: .seconds(3600)))
            gateway.get("/me", .require("partners"), .rateLimits("two")) { _ in .json(1) }
        }) { server, admin in
            func explain(_ key: String?) throws -> (record: JSONFragment, drawing: String) {
                let fields = key.map { #","fields":{"x-api-key":"\#($0)"}"# } ?? ""
                let told = try admin.post("/explain", body: #"{"target":"/me"\#(fields)}"#).json()
                let record = try #require(told[member: "request"])
                return (record, RequestDrawing(record)?.text ?? "")
            }
            let stranger = try explain(nil)
            #expect(stranger.record[member: "status"]?.intValue == 401)
            #expect(stranger.drawing.contains("\ncaller: none\n"), "\(stranger.drawing)")
            for _ in 0..<2 {
                let caller = try explain(key.key)
                #expect(caller.record[member: "status"]?.intValue == 200)
                #expect(caller.drawing.contains("\ncaller: partners ok, key shop\n"), "\(caller.drawing)")
                #expect(!caller.record.description.contains(key.key))
            }
            let limited = try explain(key.key)
            #expect(limited.record[member: "status"]?.intValue == 429)
            #expect(limited.drawing.contains("\ncaller: partners limited by two, key shop\n"))
            #expect(server.settled.access.callers.isEmpty)
        }
    }
}
