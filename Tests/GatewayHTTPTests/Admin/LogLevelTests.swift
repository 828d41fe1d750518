import Foundation
import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Changing what is logged", .timeLimit(.minutes(1)))
struct LogLevelTests {
    private static func text(_ more: String) -> String {
        "version: 1\n\(more)endpoints: [{get: /a, data: {value: 1}}]\n"
    }

    private static func put(_ body: String, _ admin: AdminTester) throws -> RawClient.Reply {
        try admin.ask("PUT /log-level", "Content-Type: application/json", body: body)
    }

    /// Returns the lines of a gateway's two logs while the body runs.
    private static func lines(
        _ body: (FileGateway, AdminTester) throws -> Void
    ) throws -> [JSONFragment] {
        let pipe = RawPipe()
        let gateway = try FileGateway(text("log: {level: error, access: off}\n"), log: pipe.writer) {
            $0.admin.listen = [.loopback(port: 0)]
        }
        let result = Result { try body(gateway, AdminTester(gateway.server)) }
        gateway.stop()
        close(pipe.writer)
        let text = pipe.readAll()
        close(pipe.reader)
        try result.get()
        return try text.split(separator: "\n").map { try JSONFragment(validating: Array($0.utf8)[...]) }
    }

    @Test("An invalid body is 400 and says what is wrong, and changes nothing")
    func wrongBodies() throws {
        try withAdminGateway { server, admin in
            for (body, message) in [
                ("", "The body must be an object such as"), ("[]", "The body must be an object such as"),
                ("{}", "The body needs level or access"),
                (#"{"seconds":5}"#, "The body needs level or access"),
                (#"{"level":"loud"}"#, "level must be one of debug, info, warning, error"),
                (#"{"access":true}"#, "access must be on, off, failures or 1/N with N from 1 to 1000000"),
                (#"{"level":"debug","seconds":0}"#, "seconds must be a whole number from 1 to 86400"),
                (#"{"level":"debug","seconds":"9"}"#, "seconds must be a whole number from 1 to 86400"),
                (#"{"level":"debug","for":9}"#, #"The body has no member "for", only"#),
            ] {
                let reply = try Self.put(body, admin)
                #expect(reply.status == 400, "\(body)")
                let text = try reply.json()[member: "message"]?.stringValue
                #expect(text?.hasPrefix(message) == true, "\(body): \(text ?? "")")
            }
            #expect(server.logs.settings.level == .error)
        }
    }

    @Test("PUT changes the level and the access log on each loop, and tells so in the log")
    func put() throws {
        let lines = try Self.lines { gateway, admin in
            #expect(try gateway.get("/a").status == 200)
            let reply = try Self.put(#"{"level":"debug","access":"on","seconds":60}"#, admin)
            #expect(reply.status == 200)
            #expect(reply.text == #"{"level":"debug","access":"on","seconds":60}"#)
            #expect(try gateway.get("/a?logged").status == 200)
            #expect(gateway.server.logs.diagnostics.isDebug)
            let back = try Self.put(#"{"level":"error","access":"off"}"#, admin)
            #expect(back.text == #"{"level":"error","access":"off","seconds":600}"#)
            #expect(try gateway.get("/a").status == 200)
            #expect(!gateway.server.logs.diagnostics.isDebug)
        }
        #expect(lines.filter { $0[member: "path"] != nil }.count == 1)
        let changes = lines.filter { $0[member: "message"]?.stringValue == "log level changed" }
        #expect(changes.map { $0[member: "logLevel"]?.stringValue } == ["debug", "error"])
        #expect(changes.map { $0[member: "access"]?.stringValue } == ["on", "off"])
        #expect(changes.map { $0[member: "seconds"]?.intValue } == [60, 600])
    }

    @Test("After its time an override ends, unless a later one has replaced it, and a reload shows through")
    func states() throws {
        var configuration = GatewayServerConfiguration()
        configuration.logLevel = .warning
        var state = LogState(LogSettings(configuration))
        state.replace(by: LogOverride(level: .debug, access: nil, seconds: 1))
        let first = state.overrides
        #expect(state.current.level == .debug)
        #expect(state.current.access == .on)
        state.replace(by: LogOverride(level: nil, access: .off, seconds: 1))
        #expect(state.current.level == .warning)
        #expect(state.current.access == .off)
        state.end(first)
        #expect(state.current.access == .off)
        configuration.logLevel = .error
        state.configure(LogSettings(configuration))
        #expect(state.current.level == .error)
        #expect(state.current.access == .off)
        state.end(state.overrides)
        #expect(state.current.access == .on)
    }

    @Test("A second after PUT for a second, the old level is back")
    func timer() throws {
        try withAdminGateway { server, admin in
            #expect(try Self.put(#"{"level":"debug","seconds":1}"#, admin).status == 200)
            #expect(server.logs.diagnostics.isDebug)
            try spin(while: server.logs.diagnostics.isDebug) { "the override goes on" }
            #expect(server.logs.settings.level == .error)
        }
    }

    @Test("A reload changes the level and the access log without a restart")
    func reload() throws {
        let lines = try Self.lines { gateway, _ in
            #expect(try gateway.get("/a").status == 200)
            try gateway.reload(Self.text("log: {level: info, access: on}\n"))
            #expect(try gateway.get("/a?logged").status == 200)
            try gateway.reload(Self.text("log: {level: warning, access: off}\n"))
            #expect(try gateway.get("/a").status == 200)
            // Neither level nor access log change.
            try gateway.reload(Self.text("log: {level: warning, access: off, slow: 5s}\n"))
            #expect(gateway.server.logs.settings.slow == .seconds(5))
        }
        #expect(lines.filter { $0[member: "path"] != nil }.count == 1)
        let changes = lines.filter { $0[member: "message"]?.stringValue == "log level changed" }
        #expect(changes.map { $0[member: "logLevel"]?.stringValue } == ["info", "warning"])
        #expect(changes.allSatisfy { $0[member: "seconds"] == nil })
    }
}
