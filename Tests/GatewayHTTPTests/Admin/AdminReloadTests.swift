import GatewayCore
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("A reload by the admin listener", .timeLimit(.minutes(1)))
struct AdminReloadTests {
    private static func text(_ value: String) -> String {
        "version: 1\nendpoints:\n- get: /a\n  parts: {is: {value: \(value)}}\n"
    }

    private static func gateway() throws -> FileGateway {
        try FileGateway(text("1"), configure: { $0.admin.listen = [.loopback(port: 0)] })
    }

    @Test("A file with errors is 422 with every complaint, and changes nothing")
    func brokenFile() throws {
        let gateway = try Self.gateway()
        defer { gateway.stop() }
        let admin = AdminTester(gateway.server)
        try gateway.write(Self.text("2") + "limits: {deadline: 5, answr: 1MiB}\n")
        let reply = try admin.post("/reload")
        #expect(reply.status == 422)
        #expect(try reply.code() == "UNPROCESSABLE")
        let problems = try reply.json()[member: "details"]?[member: "problems"]?.elements.compactMap(
            \.stringValue)
        #expect(
            problems?.map { $0.replacing(gateway.scratch.path + "/", with: "") } == [
                "sluice.yaml:5:20: error: 5 needs a unit: 5s",
                "sluice.yaml:5:23: error: limits has no member \"answr\"; did you mean \"answer\"?",
            ])
        #expect(try gateway.get("/a").text.contains(#""data":{"is":1}"#))
        let configuration = try #require(try admin.json("GET /status")[member: "configuration"])
        #expect(configuration[member: "generation"]?.description == "1")
        #expect(configuration[member: "isLastSuccessful"]?.description == "false")
    }

    @Test("A reload tells the generation and the warnings, and its hash is what sha256sum prints")
    func success() throws {
        let gateway = try Self.gateway()
        defer { gateway.stop() }
        let admin = AdminTester(gateway.server)
        let text = Self.text("2").replacing(
            "  parts", with: "  answer: {completeHeader: X-Complete}\n  parts")
        try gateway.write(text)
        let reply = try admin.post("/reload")
        #expect(reply.status == 200, "\(reply)")
        #expect(try reply.json()[member: "generation"]?.description == "2")
        let warnings = try #require(try reply.json()[member: "warnings"]?.elements.compactMap(\.stringValue))
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains(": warning: ") == true, "\(warnings)")
        #expect(try gateway.get("/a").text.contains(#""data":{"is":2}"#))
        try gateway.write("version: 1\nendpoints: [{get: /a, data: {value: 1}}]\n")
        #expect(try admin.post("/reload").status == 200)
        let configuration = try #require(try admin.json("GET /status")[member: "configuration"])
        #expect(configuration[member: "generation"]?.description == "3")
        #expect(
            configuration[member: "hash"]?.stringValue
                == "9130e160fe30d457f937bbb436f4ddefda3f3e171c49bd64d08a27a698cc18a6")
    }

    @Test("A gateway without a file reloads its certificates")
    func withoutFile() throws {
        try withAdminGateway { _, admin in
            let reply = try admin.post("/reload")
            #expect(reply.status == 200)
            #expect(reply.text == #"{"generation":1,"reloaded":"certificates","warnings":[]}"#)
        }
    }

    @Test("The admin address and the token need a restart")
    func restart() throws {
        let gateway = try Self.gateway()
        defer { gateway.stop() }
        let more = "admin: {listen: \"127.0.0.1:1\", token: 0123456789abcdef}\n"
        #expect(
            try gateway.problems(of: Self.text("2") + more) == [
                "sluice.yaml:5:17: error: admin.listen needs a restart",
                "sluice.yaml:5:39: error: admin.token needs a restart",
            ])
    }
}
