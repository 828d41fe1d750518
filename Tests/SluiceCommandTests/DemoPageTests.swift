import Foundation
import JSONBytes
import TestSupport
import Testing

/// What the demo has for its pages: calls without the gateway's help, calls under way, and sources of endpoints.
@Suite("Endpoints for the demo's pages", .timeLimit(.minutes(1)))
struct DemoPageTests {
    @Test("A direct call without a complete response has no response, and is made once")
    func directFailure() throws {
        let demo = try Demo()
        defer { demo.end() }
        try demo.set("drop", "weather")
        let answer = try demo.get("/demo/direct/now?date=2026-11-20")
        #expect(answer.status == 200 && answer.code == "PARTIAL")
        #expect(answer.data?[member: "response"]?.kind == .null)
        #expect(answer.failure(of: "response") == "networkFail connection_terminated null")
        #expect(answer.error("response")?[member: "attempts"]?.intValue == 1)
    }

    @Test("A direct call answers with the upstream's own status and envelope")
    func direct() throws {
        let demo = try Demo()
        defer { demo.end() }
        try demo.set("status:503", "diary")
        let refused = try demo.get("/demo/direct/today?date=2026-11-20").data?[member: "response"]
        #expect(refused?[member: "status"]?.intValue == 503)
        #expect(refused?[member: "body"]?.stringValue?.contains(#""code":"FAULT""#) == true)
        for (call, start) in [
            ("now", #"{"response":{"header":{"resultCode":"00""#), ("user", #"{"user":{"id":1001"#),
            ("tags", #"{"code":"OK""#),
        ] {
            let response = try demo.get("/demo/direct/\(call)?date=2026-11-20").data?[member: "response"]
            #expect(response?[member: "status"]?.intValue == 200)
            #expect(response?[member: "body"]?.stringValue?.hasPrefix(start) == true, "\(call)")
        }
    }

    @Test("An unknown direct call is refused")
    func unknownCall() throws {
        let demo = try Demo()
        defer { demo.end() }
        #expect(try demo.get("/demo/direct/mail?date=2026-11-20").status == 400)
        #expect(try demo.get("/demo/direct/now").status == 400)
    }

    @Test("The calls of a request are listed by the ID that its page chose")
    func calls() throws {
        let demo = try Demo()
        defer { demo.end() }
        try demo.set("drop", "users")
        _ = try demo.ask("--header", "X-Request-Id: demo-0123456789abcdef", "/api/home?date=2026-11-20")
        let calls = try demo.get("/demo/calls/demo-0123456789abcdef").data?[member: "calls"]?.elements ?? []
        let targets = calls.compactMap { $0[member: "target"]?.stringValue }
        // Three attempts; one on a reused connection is repeated without being counted.
        #expect((3...4).contains(targets.filter { $0 == "/users/GREEN" }.count))
        #expect(targets.filter { $0.hasPrefix("/food-diary/weights") }.count == 2)
        #expect(Set(targets).count == 6)
        #expect(try demo.get("/demo/calls/demo-none").data?[member: "calls"]?.elements.isEmpty == true)
    }

    @Test(
        "The sources that the pages show are those of the endpoints",
        arguments: [("home", "HomeEndpoint"), ("weights", "WeightEndpoints")])
    func sources(page: String, file: String) throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        }
        let shown = try text("Public/code/\(page).txt")
        #expect(shown.hasPrefix("/// ") && shown.hasSuffix("\n}\n"))
        #expect(try text("Sources/SluiceCommand/Endpoints/\(file).swift").contains("\n\n" + shown))
    }

    @Test("The pages may create no Trusted Types policy")
    func trustedTypes() throws {
        let process = try SluiceProcess([
            "demo", "--port", "0", "--data", ScratchFolder().file("diary.sqlite3"), "--drain-delay", "0",
        ])
        defer {
            process.signal(SIGTERM)
            #expect(process.finish().exitCode == 0)
        }
        let head = try curl(["--head", "http://127.0.0.1:\(try process.readPort())/"]).1
        #expect(head.contains("require-trusted-types-for 'script'; trusted-types 'none'"))
    }
}
