import Foundation
import GatewayConfig
import TestSupport
import Testing

@testable import GatewayHTTP

/// What the reader refuses is tested with the reader; these values reach the modules that use them.
@Suite("No message about a file shows the value of a variable or a secret")
struct FileSecrecyTests {
    private struct Source: ConfigSource {
        let file: String
        let secret: String

        func read(_ path: String, limit: Int) throws(ConfigSourceError) -> [UInt8] {
            switch path {
            case "f": Array(file.utf8)
            case "/run/secret": Array(secret.utf8)
            default: throw ConfigSourceError("there is no such file")
            }
        }

        func paths(matching pattern: String) throws(ConfigSourceError) -> [String] { [] }
        func variable(_ name: String) -> String? { name == "SECRET" ? secret : nil }
    }

    private static let upstream = "url: http://127.0.0.1:1"

    @Test(
        "A value that a module refuses is not shown",
        arguments: [
            "listen: {host: \"$\"}", "hosts: [\"$/x y\"]", "public: \"/none/$\"",
            "spoolDirectory: \"/none/$\"",
            "cors: {origins: [\"$/\"]}", "proxy: \"$://h\"", "proxy: \"http://$ /\"", "noProxy: [\"$/ /\"]",
            "name: \"$ $\"",
            "upstreams: {u: {urls: [\"https://a/$\", \"http://b/$\"]}}",
            "upstreams: {u: {url: \"https://a/$/../b\"}}", "upstreams: {u: {url: \"https://$.-/\"}}",
            "upstreams: {u: {\(upstream), tls: {ca: \"/none/$\"}}}",
            "upstreams: {u: {\(upstream), tls: {cert: \"/none/$\", key: \"/none/$\"}}}",
            "upstreams: {u: {\(upstream), tls: {pins: [\"$\"]}}}",
            "upstreams: {u: {\(upstream), tls: {serverName: \"$ /\"}}}",
            "upstreams: {u: {\(upstream), dns: {servers: [\"$/\"]}}}",
            "upstreams: {u: {\(upstream), headers: {X-A: \"$\\n\"}}}",
        ])
    func settings(text: String) throws {
        var messages = 0
        for secret in ["S3cr3tWord", "s3cr3tword.example", "/S3cr3tWord\n{x}"] {
            for variable in ["${SECRET}", "${file:/run/secret}", "x${SECRET}"] {
                let file =
                    "version: 1\n" + text.replacing("$", with: variable) + "\nendpoints:\n"
                    + "- {get: /a, parts: {is: {value: 1}}}\n"
                let problems = GatewayFile.problems(of: "f", from: Source(file: file, secret: secret))
                messages += problems.filter { $0.severity == .error }.count
                for problem in problems {
                    #expect(!problem.description.lowercased().contains("s3cr3t"), "\(problem)")
                }
            }
        }
        #expect(messages > 0)
    }

    @Test(
        "An answer to a request that breaks a rule with a variable does not show the value",
        arguments: [
            "headers: {X-Key: {enum: [\"${SECRET}\"], required: true}}",
            "headers: {X-Key: {enum: [a, \"x${SECRET}\"], required: true}}",
            "headers: {X-Key: {pattern: \"${SECRET}\", required: true}}",
            "query:\n    n:\n      type: integer\n      minimum: ${SECRET}",
            "query:\n    n:\n      type: number\n      maximum: -${SECRET}",
            "query:\n    n:\n      minLength: ${SECRET}",
            "query:\n    n:\n      maxLength: ${SHORT}\n      minLength: 0",
            "body: {enum: [\"${SECRET}\"]}", "body: {enum: [{pin: [\"${SECRET}\"]}]}",
            "body: {properties: {s: {pattern: \"${SECRET}\"}}}",
            "body:\n    properties:\n      a:\n        type: integer\n        minimum: ${SECRET}",
            "body:\n    properties:\n      s:\n        minLength: ${SECRET}",
            "body:\n    properties:\n      b:\n        items:\n          enum:\n          - ${SECRET}",
            "body:\n    properties:\n      b:\n        minItems: ${SECRET}",
            "body:\n    properties:\n      b:\n        maxItems: ${SHORT}",
        ])
    func answers(rule: String) throws {
        let scratch = ScratchFolder()
        try "98765\n".write(toFile: scratch.file("secret"), atomically: true, encoding: .utf8)
        try "0".write(toFile: scratch.file("short"), atomically: true, encoding: .utf8)
        let rule = rule.replacing("${SECRET}", with: "${file:\(scratch.file("secret"))}")
            .replacing("${SHORT}", with: "${file:\(scratch.file("short"))}")
        let gateway = try FileGateway(
            "version: 1\nendpoints:\n- post: /a\n  \(rule)\n  parts: {is: {value: 1}}\n")
        defer { gateway.stop() }
        var refused = 0
        for target in ["/a", "/a?n=-5"] {
            for field in ["Accept: */*", "X-Key: abc", "Accept: application/problem+json"] {
                let client = try RawClient(port: gateway.server.port)
                defer { client.close() }
                let body = #"{"a":-5,"b":[-5],"s":"t"}"#
                client.send(
                    "POST \(target) HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\(field)\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                let reply = try client.reply()
                refused += reply.status == 400 ? 1 : 0
                #expect(!reply.description.contains("98765"), "\(reply)")
            }
        }
        #expect(refused > 0, "no request breaks the rule")
    }

    @Test("A start and a reload that the engine refuses do not show a secret")
    func startAndReload() throws {
        let scratch = ScratchFolder()
        let secret = scratch.file("secret")
        let path = scratch.file("sluice.yaml")
        func write(_ url: String) throws {
            try
                "version: 1\nlisten: {port: 0}\nupstreams: {u: {urls: [\"\(url)\", \"http://127.0.0.1:1/${file:\(secret)}\"]}}\n"
                .write(
                    toFile: path, atomically: true, encoding: .utf8)
        }
        try "S3cr3tWord".write(toFile: secret, atomically: true, encoding: .utf8)
        var configuration = GatewayServerConfiguration()
        configuration.port = 0
        try write("https://127.0.0.1/${file:\(secret)}")
        let error = #expect(throws: (any Error).self) { try GatewayServer.start(configuration, file: path) }
        let description = try #require(error.map { "\($0)" })
        #expect(!description.contains("S3cr3tWord"), "\(description)")
        #expect(description.contains("${file:"), "\(description)")
        try write("http://127.0.0.1/${file:\(secret)}")
        let server = try GatewayServer.start(configuration, file: path)
        defer {
            server.stop()
            server.waitUntilStopped()
        }
        try write("https://127.0.0.1/${file:\(secret)}")
        let refusal = #expect(throws: GatewayReloadError.self) { try server.reload() }
        #expect(refusal?.description.contains("S3cr3tWord") == false)
        #expect(refusal?.description.contains("${file:") == true)
    }
}
