import Foundation
import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayConfig
@testable import GatewayHTTP

@Suite("The settings that the admin listener tells", .timeLimit(.minutes(1)))
struct ConfigAnswerTests {
    private static let text = """
        version: 1
        admin: {listen: "127.0.0.1:0", token: "${file:TOKEN}"}
        hosts: [app.example, localhost]
        proxy: http://user:secret@proxy.example:3128
        noProxy: [10.0.0.0/8, ".Example.com:8080", "[::1]:81", 10.0.0.7]
        cors: {origins: ["https://app.example"]}
        limits: {deadline: 5s, requestBody: 2MiB}
        endpoints: [{get: /a, data: {value: 1}}]

        """

    @Test("Each setting of a file has a value and a source, and secrets are not shown")
    func fromFile() throws {
        let folder = ScratchFolder()
        let token = folder.file("token")
        try "0123456789abcdef".write(toFile: token, atomically: true, encoding: .utf8)
        let gateway = try FileGateway(Self.text.replacing("TOKEN", with: token))
        defer { gateway.stop() }
        let admin = AdminTester(gateway.server)
        let reply = try admin.ask("GET /config", "Authorization: Bearer 0123456789abcdef")
        #expect(reply.status == 200)
        #expect(!reply.text.contains("0123456789abcdef") && !reply.text.contains("secret"))
        let settings = try #require(try reply.json()[member: "settings"])
        func setting(_ key: String) -> String? {
            settings[member: key]?.description.replacing(gateway.path, with: "F")
        }
        #expect(setting("admin.token") == #"{"value":"***","source":"F:2:39"}"#)
        #expect(setting("hosts") == #"{"value":["app.example","localhost"],"source":"F:3:9"}"#)
        #expect(setting("proxy") == #"{"value":"http://proxy.example:3128","source":"F:4:8"}"#)
        let exceptions = #"["10.0.0.0/8","example.com:8080","[::1]:81","10.0.0.7"]"#
        #expect(setting("noProxy") == #"{"value":\#(exceptions),"source":"F:5:11"}"#)
        #expect(setting("limits.deadline") == #"{"value":"5s","source":"F:7:20"}"#)
        #expect(setting("limits.answer") == #"{"value":"16MiB","source":"default"}"#)
        #expect(setting("listen.loops") == #"{"value":1,"source":"default"}"#)
        #expect(setting("compression") == #"{"value":{"minimum":1024,"streams":64},"source":"default"}"#)
        #expect(setting("cors")?.contains("https://app.example") == true)
        #expect(try reply.json()[member: "generation"]?.intValue == 1)
        #expect(try reply.json()[member: "hash"]?.stringValue?.count == 64)
    }

    @Test("A flag and a variable are sources, and what the log has now is shown")
    func fromFlags() throws {
        let arguments = try ProgramArguments(
            ["--log-level", "error", "--drain-delay", "0"], for: GatewayProgram(name: "shop").serving(),
            environment: ["SLUICE_PORT": "0", "SLUICE_ADMIN": "127.0.0.1:0"])
        try withAdminGateway {
            try? $0.apply(arguments)
        } _: { server, admin in
            let body = #"{"level":"debug"}"#
            #expect(
                try admin.ask("PUT /log-level", "Content-Type: application/json", body: body).status == 200)
            let answer = try admin.json("GET /config")
            #expect(answer[member: "hash"]?.isNull == true)
            let settings = try #require(answer[member: "settings"])
            #expect(
                settings[member: "noProxy"]?.description == #"{"value":null,"source":"default"}"#)
            #expect(
                settings[member: "log.level"]?.description == #"{"value":"debug","source":"PUT /log-level"}"#)
            #expect(settings[member: "drain.delay"]?.description == #"{"value":"0s","source":"flag"}"#)
            #expect(settings[member: "listen.port"]?.description == #"{"value":0,"source":"SLUICE_PORT"}"#)
            #expect(settings[member: "admin.listen"]?[member: "source"]?.stringValue == "SLUICE_ADMIN")
        }
    }

    @Test("Each key that sets something of the gateway is told")
    func coverage() {
        let told = Set(GatewayServerConfiguration().settingValues.map(\.key))
        var keys: Set<String> = []
        for shape in ConfigSchemaText.shapes
        where ["listen", "admin", "log", "metrics", "traces", "drain", "clients", "limits"].contains(
            shape.title)
        {
            // Upstreams have limits, too.
            guard shape.definition == shape.title else { continue }
            keys.formUnion(shape.members.map { "\(shape.title).\($0.name)" })
        }
        let others: Set = [
            "version", "listen", "admin", "log", "metrics", "traces", "drain", "clients", "limits", "include",
            "jsonSchema", "schemas", "upstreams", "auth", "rateLimits", "stores", "endpoints", "defaults",
        ]
        keys.formUnion(DocumentShape.shape.members.map(\.name).filter { !others.contains($0) })
        #expect(told == keys)
    }
}
