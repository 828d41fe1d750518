import Foundation
import JSONBytes
import TestSupport
import Testing

/// What the demo has for its pages: calls without the gateway's help, calls under way, and sources of
/// endpoints.
@Suite("Endpoints for the demo's pages", .timeLimit(.minutes(1)))
struct DemoPageTests {
    @Test(
        "Each upstream has a port of its own, named by the start, by an endpoint and by the policy of the pages"
    )
    func ports() throws {
        let demo = try Demo()
        defer { demo.end() }
        let listed = try #require(try demo.get("/demo/upstreams").data)
        let ports = try ["diary", "weather", "places", "users", "tags"].map { name in
            try #require(listed.value(at: JSONPointer("/addresses/\(name)/port"))?.intValue)
        }
        #expect(Set(ports).count == 5)
        let head = try demo.askRaw("--head", "/").head
        for (name, port) in zip(["diary", "weather", "places", "users", "tags"], ports) {
            #expect(demo.note.contains("\(port) (\(name))"))
            for host in ["127.0.0.1", "localhost"] {
                #expect(head.contains(" http://\(host):\(port)"))
            }
        }
        #expect(head.contains("connect-src 'self' http://127.0.0.1:\(ports[0]) "))
        #expect(try demo.askUpstream("weather", "/getUltraSrtNcst?nx=60&ny=127").status == 200)
        let foreign = try curl("--header", "Host: evil.example", "http://127.0.0.1:\(ports[0])/tags")
        #expect(foreign.status == 421)
        #expect(try demo.askUpstream("users", "/GREEN").json.value(at: "/user/name")?.stringValue == "GREEN")
    }

    @Test("The demo tells the address of its admin listener, which answers there")
    func admin() throws {
        let scratch = ScratchFolder()
        let demo = try SluiceProcess([
            "demo", "--port", "0", "--data", scratch.file("diary.sqlite3"), "--drain-delay", "0", "--admin",
            "127.0.0.1:0",
        ])
        let port = try demo.readPort()
        let base = "http://127.0.0.1:\(try demo.readAdminPort())"
        #expect(try curl("http://127.0.0.1:\(port)/status").status == 404)
        let status = try curl("\(base)/status")
        #expect(status.status == 200)
        #expect(try JSONFragment(parsing: status.body)[member: "phase"]?.stringValue == "ready")
        #expect(try curl("\(base)/metrics").body.contains("sluice_connections "))
        demo.signal(SIGTERM)
        #expect(demo.finish().exitCode == 0)
    }

    @Test("The upstreams have the ports after the gateway's, and one that is taken moves to a free one")
    func portsInARow() throws {
        for _ in 1...20 {
            let free = try Demo()
            free.end()
            guard let demo = try Demo(portIfFree: free.port) else { continue }
            defer { demo.end() }
            guard demo.upstreamPorts == Array(free.port + 1...free.port + 5) else { continue }
            // The port after this one's gateway is the first demo's.
            guard let other = try Demo(portIfFree: free.port - 1) else { continue }
            defer { other.end() }
            #expect(other.upstreamPorts.count == 5)
            #expect(Set(other.upstreamPorts).isDisjoint(with: [free.port] + demo.upstreamPorts))
            #expect(try other.askUpstream("tags", "/tags").status == 200)
            return
        }
        Issue.record("no seven ports in a row were free")
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
