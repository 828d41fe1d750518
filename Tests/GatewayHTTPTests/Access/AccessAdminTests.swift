import GatewayCore
import GatewayTesting
import HTTPModel
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Callers and limits at the admin listener", .timeLimit(.minutes(1)))
struct AccessAdminTests {
    private static func listen(_ configuration: inout GatewayServerConfiguration) {
        configuration.admin.listen = [.loopback(port: 0)]
    }

    @Test("PUT /log-level shows why callers are refused, until the level is put back")
    func logLevel() throws {
        let lines = try withAccessFile(configure: Self.listen) { file throws in
            let admin = AdminTester(file.server)
            // A request is recorded after its answer, which the client may have read before.
            func recorded() throws -> Int? {
                let access = try admin.json("GET /status")[member: "access"]
                return access?[member: "callers"]?[member: "partners"]?[member: "invalid"]?.intValue
            }
            for (index, level) in ["", "debug", "error"].enumerated() {
                if !level.isEmpty {
                    let body = #"{"level":"\#(level)"}"#
                    let reply = try admin.ask(
                        "PUT /log-level", "Content-Type: application/json", body: body)
                    #expect(reply.status == 200)
                }
                #expect(try file.ask("/me", "X-API-Key: sluice_secret\r\n").status == 401)
                try spin(while: try recorded() != index + 1) { "\(String(describing: try recorded()))" }
            }
        }
        let told = try lines.map { try JSONFragment(validating: Array($0.utf8)[...]) }
        let requests = told.filter { $0[member: "authResult"] != nil }
        #expect(requests.map { $0[member: "authResult"]?.stringValue } == ["invalid", "invalid", "invalid"])
        let refusals = told.filter { $0[member: "message"]?.stringValue == "caller refused" }
        try #require(refusals.count == 1 && requests.count == 3, "\(lines)")
        let members = ["level", "auth", "result", "reason"].map { refusals[0][member: $0]?.stringValue }
        #expect(members == ["debug", "partners", "invalid", "the key is unknown"])
        #expect(refusals[0][member: "requestId"] == requests[1][member: "requestId"])
        #expect(!lines.joined().contains("sluice_secret"))
    }

    @Test("/metrics has the checks of limits that a store did not answer, by the store and the reason")
    func storeErrors() throws {
        try withAdminGateway(
            configure: {
                var store = RedisStore("unix:/nowhere/redis")
                store.timeout = .seconds(10)
                $0.stores["main"] = store
            },
            declare: { gateway in
                gateway.rateLimit(
                    "counted",
                    RateLimit(
                        key: [.client], rate: 9, per: .seconds(3600), store: "main", onStoreFailure: .deny))
                gateway.get("/counted", .rateLimits("counted")) { _ in .json(1) }
                gateway.get("/open") { _ in .json(1) }
            }
        ) { server, admin in
            for _ in 0..<3 { #expect(try server.ask("/counted").status == 503) }
            #expect(try server.ask("/open").status == 200)
            func lines() throws -> [Substring] {
                let reply = try admin.ask("GET /metrics")
                #expect(reply.status == 200)
                return reply.text.split(separator: "\n").filter { $0.contains("sluice_store_errors_total") }
            }
            let series = #"sluice_store_errors_total{store="main",reason="unreachable"} 3"#
            // The text is made again after a second.
            try spin(while: try !lines().contains(series[...])) { "\(try lines())" }
            #expect(try lines().contains("# TYPE sluice_store_errors_total counter"))
        }
    }

    @Test("A reload that finds only another file of keys counts a generation, and the hash stays")
    func keysFile() throws {
        var hash = ""
        let lines = try withAccessFile(level: "info", configure: Self.listen) { file throws in
            let admin = AdminTester(file.server)
            func configuration(_ line: String) throws -> JSONFragment {
                let answer = try admin.json(line)
                return answer[member: "configuration"] ?? answer
            }
            /// Reloads, and expects what all answers tell of the file.
            func reload(to generation: Int) throws -> String {
                let reply = try admin.post("/reload")
                #expect(reply.status == 200)
                #expect(try reply.json()[member: "generation"]?.intValue == generation)
                let answers = [try configuration("GET /status"), try configuration("GET /config")]
                #expect(answers.map { $0[member: "generation"]?.intValue } == [generation, generation])
                let hashes = answers.compactMap { $0[member: "hash"]?.stringValue }
                #expect(hashes.count == 2 && Set(hashes).count == 1)
                return hashes.first ?? ""
            }
            hash = try configuration("GET /status")[member: "hash"]?.stringValue ?? ""
            #expect(hash.utf8.count == 64)
            let new = try TestAPIKey("shop")
            try file.write(keys: new)
            #expect(try reload(to: 2) == hash)
            #expect(file.server.metric(#"config_info{hash="\#(hash)"}"#) == 1)
            #expect(file.server.metric("config_generation") == 2)
            // The other keys are in use.
            #expect(try file.ask("/me", file.keyField).status == 401)
            #expect(try file.ask("/me", "X-API-Key: \(new.key)\r\n").status == 200)
            try file.gateway.write(file.text + "# changed\n")
            #expect(try reload(to: 3) != hash)
        }
        let reloads = lines.filter { $0.contains(#""message":"configuration reloaded""#) }
        #expect(reloads.map { $0.contains(#""hash":"\#(hash)""#) } == [true, false], "\(lines)")
        for (line, generation) in zip(reloads, [2, 3]) {
            #expect(line.contains(#""generation":\#(generation),"#), "\(line)")
        }
    }

    @Test("An explained request has the limit of its operator's address, as clients there, and names it")
    func clientLimit() throws {
        try withAdminGateway(declare: { gateway in
            gateway.rateLimit("perClient", RateLimit(key: [.client], rate: 3, per: .seconds(3600)))
            gateway.get("/page", .rateLimits("perClient")) { _ in .json(1) }
        }) { server, admin in
            func explain() throws -> (status: Int?, body: String?, drawing: String) {
                let told = try admin.post("/explain", body: #"{"target":"/page"}"#).json()
                let record = try #require(told[member: "request"])
                return (
                    record[member: "status"]?.intValue, told[member: "body"]?.stringValue,
                    RequestDrawing(record)?.text ?? ""
                )
            }
            #expect(try server.ask("/page").status == 200)
            for _ in 0..<2 {
                let allowed = try explain()
                #expect(allowed.status == 200)
                #expect(!allowed.drawing.contains("caller:"), "\(allowed.drawing)")
            }
            let limited = try explain()
            #expect(limited.status == 429)
            #expect(limited.body?.contains("perClient") == true)
            #expect(limited.drawing.hasPrefix("429 TOO_MANY_REQUESTS"), "\(limited.drawing)")
            #expect(limited.drawing.contains("\ncaller: limited by perClient\n"), "\(limited.drawing)")
            #expect(try server.ask("/page").status == 429)
            // A client at another address.
            #expect(try server.ask("/page", host: 2).status == 200)
            // The metrics count clients only.
            #expect(
                server.settled.access.limits["perClient"] == RateLimitReport(allowed: 2, limited: 1))
        }
    }
}
