import Foundation
import TestSupport
import Testing

@testable import GatewayHTTP

/// The console's files over sockets.
@Suite("The console", .timeLimit(.minutes(1)))
struct AdminConsoleTests {
    private static let names = AdminConsole.files.map(\.path)
    private static let assets = names.filter { $0 != "index.html" }
    private static let token = "0123456789abcdef"

    @Test("A gateway contains each file of Public/console once, and the icon")
    func files() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Public")
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent("console").path)
        #expect(files.contains("index.html"))
        #expect(
            Self.names.sorted() == (files + ["sluice.svg"]).sorted(),
            "Sources/CConsole/console.c lists other files")
        for file in AdminConsole.files {
            let name = file.path == "sluice.svg" ? "img/sluice.svg" : "console/\(file.path)"
            let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
            #expect(file.bytes == [UInt8](bytes), "\(name)")
        }
    }

    @Test("Unknown files and paths that lead elsewhere are 404 in the envelope, and other methods 405")
    func refused() throws {
        try withAdminGateway { _, admin in
            for path in [
                "/console", "/console/", "/console/none.js", "/console/..%2findex.html", "/console/../status",
                "/console/%2e%2e/status", "/console/.", "/console/a/b.js", "/console/main.js%00",
                "/index.html",
            ] {
                let reply = try admin.ask("GET \(path)")
                #expect(reply.status == 404, "\(path)")
                #expect(try reply.code() == "NOT_FOUND", "\(path)")
            }
            for path in ["/", "/console/main.js"] {
                #expect(try admin.ask("DELETE \(path)").status == 405)
                let form = try admin.ask("POST \(path)", "Content-Type: application/x-www-form-urlencoded")
                #expect(form.status == 405)
                #expect(form.value("Allow") == "GET, HEAD")
            }
        }
    }

    @Test("Web pages of other sites and of rebound names reach no file")
    func foreign() throws {
        try withAdminGateway(token: Self.token) { _, admin in
            for path in ["/", "/console/main.js"] {
                let rebound = try admin.ask("GET \(path)", host: "evil.example:9901")
                #expect(rebound.status == 421)
                let origin = try admin.ask("GET \(path)", "Origin: https://evil.example")
                #expect(origin.status == 403)
                #expect(try admin.ask("GET \(path)", "Sec-Fetch-Site: cross-site").status == 403)
            }
        }
    }

    @Test("The clients of the gateway get no file of the console")
    func publicListener() throws {
        try withAdminGateway { server, _ in
            let client = try RawClient(port: server.port)
            for path in ["/", "/console/"] + Self.names.map({ "/console/\($0)" }) {
                #expect(client.get(path)?.status == 404, "\(path)")
            }
        }
    }

    @Test("The page needs no token, sets no cookie, and allows no script, style or form but its own files")
    func page() throws {
        try withAdminGateway(token: Self.token) { _, admin in
            let reply = try admin.ask("GET /")
            #expect(reply.status == 200)
            #expect(reply.value("Content-Type") == "text/html; charset=utf-8")
            #expect(reply.value("Cache-Control") == "no-cache")
            #expect(reply.value("X-Content-Type-Options") == "nosniff")
            #expect(reply.value("X-Frame-Options") == "DENY")
            #expect(reply.value("Set-Cookie") == nil)
            #expect(reply.value("X-Request-Id") == nil)
            let policy = try #require(reply.value("Content-Security-Policy"))
            for rule in [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'",
                "require-trusted-types-for 'script'", "trusted-types 'none'",
            ] { #expect(policy.components(separatedBy: "; ").contains(rule), "\(rule)") }
            #expect(!policy.contains("unsafe"))
            let page = reply.text
            #expect(page.contains("<title>Sluice console</title>"))
            #expect(!page.contains("<style") && !page.contains(" style=") && !page.contains(" onclick="))
            #expect(page.matches(of: /<script(?![^>]* src=)/).isEmpty)
            #expect(try admin.ask("GET /status").status == 401)
            #expect(try admin.ask("GET /", "Authorization: Bearer wrong-token-here").status == 200)
        }
    }

    @Test("The page and each of its modules name only files that the listener has, by relative addresses")
    func references() throws {
        try withAdminGateway { _, admin in
            let page = try admin.ask("GET /").text
            let linked = page.matches(of: /(?:href|src)="([^"#]+)/).map { String($0.1) }
            #expect(linked.contains("console/main.js"))
            for name in linked where !name.hasPrefix("#") {
                #expect(try admin.ask("GET /\(name)").status == 200, "\(name)")
            }
            for name in Self.assets where name.hasSuffix(".js") {
                let module = try admin.ask("GET /console/\(name)").text
                for match in module.matches(of: /from "\.\/([^"]+)"/) {
                    let imported = String(match.1)
                    #expect(Self.assets.contains(imported), "\(name) imports \(imported)")
                    #expect(page.contains("modulepreload\" href=\"console/\(imported)"), "\(imported)")
                }
                #expect(!module.contains("innerHTML") && !module.contains("outerHTML"), "\(name)")
                #expect(!module.contains("insertAdjacentHTML") && !module.contains("eval("), "\(name)")
            }
        }
    }

    @Test("Each file has its type and a tag that spares the next transfer, to HEAD as to GET")
    func conditional() throws {
        try withAdminGateway { _, admin in
            for name in Self.names {
                let path = name == "index.html" ? "/" : "/console/\(name)"
                let whole = try admin.ask("GET \(path)")
                #expect(whole.status == 200, "\(path)")
                let type =
                    switch URL(fileURLWithPath: name).pathExtension {
                    case "html": "text/html; charset=utf-8"
                    case "css": "text/css; charset=utf-8"
                    case "js": "text/javascript; charset=utf-8"
                    default: "image/svg+xml; charset=utf-8"
                    }
                #expect(whole.value("Content-Type") == type)
                let tag = try #require(whole.value("ETag"))
                let again = try admin.ask("GET \(path)", "If-None-Match: \(tag)")
                #expect(again.status == 304)
                #expect(again.body.isEmpty)
                let head = try admin.ask("HEAD \(path)")
                #expect(head.status == 200)
                #expect(head.body.isEmpty)
                #expect(head.value("Content-Length") == "\(whole.body.count)")
                #expect(head.value("ETag") == tag)
            }
            #expect(try admin.ask("GET /", "If-Match: \"other\"").status == 412)
            #expect(try admin.ask("GET /", "Range: bytes=999999-").status == 416)
            let part = try admin.ask("GET /", "Range: bytes=0-8")
            #expect(part.status == 206)
            #expect(part.text == "<!doctype")
        }
    }

    @Test("A browser gets the whole console in at most 40 KB", arguments: ["br", "gzip"])
    func size(coding: String) throws {
        try withAdminGateway { _, admin in
            var sum = 0
            for name in Self.names {
                let path = name == "index.html" ? "/" : "/console/\(name)"
                let reply = try admin.ask("GET \(path)", "Accept-Encoding: \(coding)")
                #expect(reply.status == 200)
                #expect(reply.value("Vary") == "Accept-Encoding" || reply.value("Content-Encoding") == nil)
                sum += reply.body.count
            }
            #expect(sum > 10_000)
            #expect(sum <= 40_000, "\(sum) bytes")
        }
    }
}
