import GatewayCore
import Glibc
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Endpoints in Swift at the paths of health checks", .timeLimit(.minutes(1)))
struct HealthPathTests {
    /// Starts a gateway and returns what its diagnostic log warns of.
    private func warnings(_ declare: (Gateway) throws -> Void) throws -> [String] {
        let pipe = RawPipe()
        defer { close(pipe.reader) }
        let result = Result {
            try withLoggedGateway(
                stops: true, errors: pipe.writer, configure: { $0.logLevel = .warning }, declare: declare
            ) { _ in }
        }
        close(pipe.writer)
        _ = try result.get()
        return try pipe.readAll().split(separator: "\n").compactMap { line in
            let line = try JSONFragment(validating: Array(line.utf8)[...])
            guard line[member: "level"]?.stringValue == "warning" else { return nil }
            return line[member: "what"]?.stringValue
        }
    }

    @Test("An endpoint that would never run stops the start", arguments: ["live", "ready"])
    func never(name: String) throws {
        let fault = "/health/\(name) never runs: the gateway itself answers at this path, with any method"
        #expect {
            try warnings { gateway in
                gateway.get("/health/\(name)") { _ in .json(1) }
                gateway.post("/health/\(name)") { _ in .json(2) }
            }
        } throws: {
            ($0 as? GatewayDeclarationError)?.faults == [fault]
        }
        #expect {
            try warnings { gateway in
                gateway.group("/health") { $0.post("/\(name)") { _ in .json(1) } }
            }
        } throws: {
            ($0 as? GatewayDeclarationError)?.faults == [fault]
        }
    }

    @Test("Health checks follow the CORS policy", arguments: ["live", "ready"])
    func cors(name: String) throws {
        _ = try withLoggedGateway(
            stops: true,
            configure: { $0.cors = CORSPolicy(origins: .list(["http://app.example"])) }, declare: { _ in }
        ) { server in
            for (origin, allowed) in [
                ("http://app.example", "http://app.example"), ("http://b.example", nil),
            ] {
                let client = try RawClient(port: server.port)
                client.send("GET /health/\(name) HTTP/1.1\r\nHost: test\r\nOrigin: \(origin)\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.value("Access-Control-Allow-Origin") == allowed)
                #expect(reply.value("Vary") == "Origin")
            }
        }
    }

    @Test("A path that also covers a health check is a warning in the log, once")
    func covers() throws {
        let warnings = try warnings { gateway in
            gateway.get("/health/{name}") { _ in .json(1) }
            let files = gateway.proxyUpstream("files", baseURL: "http://127.0.0.1:1")
            gateway.proxy("/health/{path...}", to: files)
        }
        #expect(
            warnings
                == ["{name}", "{path...}"].map {
                    "/health/\($0) gets no requests for /health/live and /health/ready: the gateway itself answers them"
                })
    }

    @Test("Other paths below /health, and a path of parameters alone, are no problem")
    func others() throws {
        let warnings = try warnings { gateway in
            for path in [
                "/health", "/health/other", "/health/live/x", "/{path...}", "/{a}/{b}", "/Health/live",
            ] {
                gateway.get(path) { _ in .json(1) }
            }
        }
        #expect(warnings == [])
    }
}
