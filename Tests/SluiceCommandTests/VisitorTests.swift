import Foundation
import JSONBytes
import TestSupport
import Testing

extension CommandTests {
    /// Sets faults for visitors of a running demo.
    @Suite("Visitors of the demo")
    struct VisitorTests {
        private static let first = "Demo-Visitor: 3f2a9c1e-0d4b-4c58-9a77-6b1e2f8d5c03"
        private static let second = "Demo-Visitor: 0123456789abcdef"
        private static let home = "/api/home?date=2026-11-20"

        private func set(_ fault: String, _ upstream: String, for visitor: String, on demo: Demo) throws {
            let answer = try demo.ask(
                "--header", visitor, "--request", "PUT", "--data", #"{"fault":"\#(fault)"}"#,
                "/demo/faults/\(upstream)")
            try #require(answer.status == 200, "\(answer.json)")
        }

        @Test(
            "A malformed ID is refused by the app's endpoints and by the switches",
            arguments: ["me", "0123456789abcde_", String(repeating: "a", count: 65)])
        func malformed(id: String) throws {
            try withDemo { demo in
                let field = "Demo-Visitor: \(id)"
                for target in [Self.home, "/api/tags", "/demo/faults", "/demo/faults/tags"] {
                    let answer = try demo.ask("--header", field, target)
                    #expect(answer.status == 400, "\(target)")
                    #expect(
                        answer.message
                            == #"Field "Demo-Visitor" must be 16 to 64 letters, digits and hyphens"#)
                }
                let body = #"{"weight":70}"#
                let write = try demo.ask(
                    "--header", field, "--header", "Content-Type: application/json", "--request", "PUT",
                    "--data",
                    body, "/api/weights/2026-11-19/am")
                #expect(write.status == 400)
                let put = try demo.ask(
                    "--header", field, "--request", "PUT", "--data", #"{"fault":"drop"}"#, "/demo/faults/tags"
                )
                #expect(put.status == 400)
                #expect(try demo.get("/api/tags").status == 200)
            }
        }

        @Test("Two visitors do not see each other's faults, and other clients see neither")
        func apart() throws {
            try withDemo { demo in
                try set("garbage", "weather", for: Self.first, on: demo)
                try set("status:503", "tags", for: Self.second, on: demo)
                let first = try demo.ask("--header", Self.first, Self.home)
                #expect(first.kind(of: "weather") == "networkFail")
                #expect(first.kind(of: "tags") == "success")
                let second = try demo.ask("--header", Self.second, Self.home)
                #expect(second.kind(of: "weather") == "success")
                #expect(second.kind(of: "tags") == "serverErr")
                #expect(try demo.get(Self.home).code == "OK")
                let lists = try [Self.first, Self.second].map { visitor in
                    try demo.ask("--header", visitor, "/demo/faults").data
                }
                #expect(lists.map { $0?.value(at: "/weather/weather")?.stringValue } == ["garbage", "none"])
                #expect(lists.map { $0?.value(at: "/tags/tags")?.stringValue } == ["none", "status:503"])
                #expect(try demo.get("/demo/faults/tags").data?[member: "tags"]?.stringValue == "none")
            }
        }

        @Test("A fault without a visitor is everybody's, until a visitor sets or removes it")
        func everybody() throws {
            try withDemo { demo in
                try demo.set("garbage", "weather")
                #expect(try demo.ask("--header", Self.first, Self.home).kind(of: "weather") == "networkFail")
                try set("status:503", "weather", for: Self.first, on: demo)
                #expect(try demo.ask("--header", Self.first, Self.home).kind(of: "weather") == "serverErr")
                try set("none", "weather", for: Self.second, on: demo)
                #expect(try demo.ask("--header", Self.second, Self.home).kind(of: "weather") == "success")
                #expect(try demo.get(Self.home).kind(of: "weather") == "networkFail")
            }
        }

        @Test(
            "Each endpoint forwards the visitor",
            arguments: [
                ("diary", "/api/weights/screen?fddDate=2026-11-20"),
                ("diary", "/api/weights/charts?fddDate=2026-11-20"),
                ("diary", "/api/weights/today?fddDate=2026-11-20"), ("weather", "/api/weather?nx=60&ny=127"),
                ("places", "/api/piechart?date=2026-11-20"), ("users", "/api/users/GREEN"),
                ("tags", "/api/tags"),
            ])
        func forwarded(upstream: String, target: String) throws {
            try withDemo { demo in
                try set("status:500", upstream, for: Self.first, on: demo)
                #expect(try demo.ask("--header", Self.first, target).status == 502)
                #expect(try demo.ask("--header", Self.second, target).status == 200)
                #expect(try demo.get(target).status == 200)
            }
        }

        @Test("The calls that a page makes itself meet the visitor's faults and weights too")
        func direct() throws {
            try withDemo { demo in
                try set("status:500", "tags", for: Self.first, on: demo)
                _ = try demo.ask(
                    "--header", Self.first, "--request", "PUT", "--header", "Content-Type: application/json",
                    "--data", #"{"weight":66.6}"#, "/api/weights/2026-11-19/am")
                let ids = [Self.first, Self.second].map { $0.split(separator: " ")[1] }
                let statuses = try ids.map { try demo.askUpstream("tags", "/tags?visitor=\($0)").status }
                #expect(statuses == [500, 200])
                let weights = try ids.map { id in
                    try demo.askUpstream("diary", "/food-diary/weights/2026-11-19?visitor=\(id)").json
                        .value(at: "/data/am")?.doubleValue
                }
                #expect(weights[0] == 66.6 && weights[1] != 66.6)
                #expect(try demo.askUpstream("tags", "/tags?visitor=me").status == 400)
            }
        }

        @Test("Six visitors whose diary fails at once get three attempts each, and nobody's circuit opens")
        func retries() throws {
            try withDemo { demo in
                let visitors = (1...6).map { "Demo-Visitor: 000000000000000\($0)" }
                for visitor in visitors { try set("status:503", "diary", for: visitor, on: demo) }
                let attempts = try demo.askAtOnce(
                    (0..<3).flatMap { _ in
                        visitors.map { ["--header", $0, "/api/weights/today?fddDate=2026-11-20"] }
                    }
                ).map { $0.error("today")?[member: "attempts"]?.intValue }
                #expect(attempts == Array(repeating: 3, count: 18))
                #expect(try demo.get("/api/weights/today?fddDate=2026-11-20").status == 200)
            }
        }

        @Test("Two windows of one visitor: the later change is refused with 412, and the earlier one stays")
        func conflict() throws {
            try withDemo { demo in
                func put(_ weight: String, _ condition: String) throws -> Demo.Answer {
                    try demo.ask(
                        "--header", Self.first, "--header", condition, "--header",
                        "Content-Type: application/json",
                        "--request", "PUT", "--data", #"{"weight":\#(weight)}"#, "/api/weights/2026-11-19/am")
                }
                let day = "/api/weights/today?fddDate=2026-11-19"
                let seen = try #require(try demo.get(day).data?.value(at: "/today/am")?.description)
                #expect(try put("66.6", "If-Match: \"\(seen)\"").status == 200)
                let late = try put("77.7", "If-Match: \"\(seen)\"")
                #expect(late.status == 412 && late.code == "PRECONDITION_FAILED")
                #expect(late.failure(of: "register") == "requestErr upstream_status 412")
                #expect(try put("77.7", "If-None-Match: *").status == 412)
                let now = try demo.ask("--header", Self.first, day).data?.value(at: "/today/am")?.doubleValue
                #expect(now == 66.6)
                let delete = try demo.ask(
                    "--header", Self.first, "--header", "If-Match: \"\(seen)\"", "--request", "DELETE",
                    "/api/weights/2026-11-19/am")
                #expect(delete.status == 412)
            }
        }

        @Test("serve forwards no visitor")
        func serve() throws {
            let scratch = ScratchFolder()
            let upstream = try SluiceProcess([
                "upstream", "--port", "0", "--data", scratch.file("diary.sqlite3"),
            ])
            let base = "http://127.0.0.1:\(try upstream.readPort())"
            let put = try curl(
                "--header", Self.first, "--request", "PUT", "--data", #"{"api":"tags","fault":"status:500"}"#,
                "\(base)/faults")
            #expect(put.status == 200)
            let gateway = try SluiceProcess([
                "serve", "--port", "0", "--drain-delay", "0", "--upstream", "tags=\(base)",
            ])
            let url = "http://127.0.0.1:\(try gateway.readPort())/api/tags"
            #expect(try curl("--header", Self.first, url).status == 200)
            #expect(try curl("--header", "Demo-Visitor: me", url).status == 200)
            for process in [gateway, upstream] {
                process.signal(SIGTERM)
                #expect(process.finish().exitCode == 0)
            }
        }
    }
}
