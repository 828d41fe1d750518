import ContentCoding
import EventIO
import Foundation
import Glibc
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Static files", .timeLimit(.minutes(1)))
struct StaticFileTests {
    private let fixture: FileFixture
    private static let page = Array(String(repeating: "<p>One line of many.</p>\n", count: 100).utf8)
    private static let modified = 784_111_777

    /// The same two pages from each source.
    enum Source: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case folder
        case builtIn

        var testDescription: String { rawValue }
    }

    init() throws {
        fixture = try FileFixture()
        try fixture.write("index.html", Self.page, modified: Self.modified)
        try fixture.write("index.html.gz", Deflated.gzip(Self.page), modified: Self.modified)
        try fixture.write("css/page.css", "p{}", modified: Self.modified)
    }

    private func serve(_ source: Source, _ body: (RawClient) throws -> Void) throws {
        let files: StaticFiles
        switch source {
        case .folder: files = .folder(fixture.root)
        case .builtIn:
            files = .builtIn(
                [
                    BuiltInFile(path: "index.html", bytes: Self.page),
                    BuiltInFile(path: "css/page.css", bytes: Array("p{}".utf8)),
                ], modified: Int64(Self.modified))
        }
        try fixture.serve(files) { try body(RawClient(port: $0)) }
    }

    @Test("A gateway does not start if its folder is missing or is a file, and names the path")
    func noFolder() throws {
        for (path, message) in [
            (fixture.scratch.file("none"), "No such file or directory"),
            (fixture.root + "/index.html", "Not a directory"),
        ] {
            let error = #expect(throws: GatewayStartError.self) {
                try fixture.serve(.folder(path)) { _ in }
            }
            #expect(
                error?.description == "cannot serve the folder of static files: file \(path): \(message)")
        }
    }

    @Test(
        "A gateway does not start if its Content-Security-Policy contains a control character",
        arguments: ["a\r\nB: c", "\0", "a\u{7f}"])
    func noPolicy(policy: String) throws {
        var files = StaticFiles.folder(fixture.root)
        files.contentSecurityPolicy = policy
        let error = #expect(throws: GatewayStartError.self) { try fixture.serve(files) { _ in } }
        #expect(
            error?.description == "the Content-Security-Policy of static files contains a control character")
    }

    @Test("A missing file gets the gateway's 404 in the envelope", arguments: Source.allCases)
    func missing(source: Source) throws {
        try serve(source) { client in
            for target in [
                "/none", "/css", "/css/", "/css/none.css", "/index.html/", "/index.htm", "/CSS/page.css",
            ] {
                let reply = try client.ask(target)
                #expect(reply.status == 404, "\(target)")
                #expect(code(of: reply) == "NOT_FOUND", "\(target)")
                #expect(reply.value("X-Request-Id") != nil, "\(target)")
            }
            #expect(try client.call("HEAD", "/none").status == 404)
            #expect(try client.call("POST", "/none", "Content-Length: 0").status == 404)
            #expect(try client.call("OPTIONS", "/none").status == 404)
        }
    }

    @Test(
        "Endpoints and health checks take precedence over files at the same path and keep their own methods"
    )
    func endpointsFirst() throws {
        for name in ["api/value", "posted", "health/live"] { try fixture.write(name, "file") }
        try serve(.folder) { client in
            #expect(try client.ask("/api/value").text.contains("\"data\":1"))
            #expect(try client.ask("/health/live").text == "{\"status\":\"live\"}")
            let other = try client.ask("/posted")
            #expect(other.status == 405)
            #expect(other.value("Allow") == "POST, OPTIONS")
            #expect(try client.ask("/api/valu").status == 404)
        }
    }

    @Test("A page is sent whole, with the fields for caches and browser security", arguments: Source.allCases)
    func whole(source: Source) throws {
        try serve(source) { client in
            let reply = try client.ask("/", "X-Request-Id: mine")
            #expect(reply.status == 200)
            #expect(reply.body == Self.page)
            let expected = [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache",
                "Accept-Ranges": "bytes",
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Vary": "Accept-Encoding",
                "X-Request-Id": "mine",
                "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                "X-Frame-Options": "DENY",
                "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
                "Content-Security-Policy":
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
            ]
            for (name, value) in expected { #expect(reply.values(name) == [value], "\(name)") }
            #expect(reply.value("Content-Encoding") == nil)
            #expect(reply.value("Permissions-Policy")?.contains("geolocation=()") == true)
            let tag = try #require(reply.value("ETag"))
            #expect(tag.wholeMatch(of: /"[0-9a-f-]+"/) != nil)
            #expect(try client.ask("/index.html").value("ETag") == tag)
            let style = try client.ask("/css/page.css?v=1")
            #expect(style.text == "p{}")
            #expect(style.value("Content-Type") == "text/css; charset=utf-8")
            #expect(style.value("ETag") != tag)
        }
    }

    @Test(
        "HEAD has the fields of GET, ignores ranges, and has no body",
        arguments: Source.allCases)
    func head(source: Source) throws {
        try serve(source) { client in
            let whole = try client.ask("/")
            let reply = try client.call("HEAD", "/", "Range: bytes=0-1")
            #expect(reply.status == 200)
            for name in ["Content-Length", "ETag", "Content-Type", "Last-Modified"] {
                #expect(reply.value(name) == whole.value(name), "\(name)")
            }
            #expect(client.unread.isEmpty)
            #expect(try client.ask("/css/page.css").text == "p{}")
        }
    }

    @Test(
        "A method other than GET and HEAD gets 405 with Allow; OPTIONS gets 204 with Allow",
        arguments: Source.allCases)
    func methods(source: Source) throws {
        try serve(source) { client in
            for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE"] {
                let reply = try client.call(method, "/index.html", "Content-Length: 0")
                #expect(reply.status == 405, "\(method)")
                #expect(reply.value("Allow") == "GET, HEAD, OPTIONS", "\(method)")
                #expect(code(of: reply) == "METHOD_NOT_ALLOWED", "\(method)")
            }
            let options = try client.call("OPTIONS", "/index.html")
            #expect(options.status == 204)
            #expect(options.value("Allow") == "GET, HEAD, OPTIONS")
            #expect(options.body.isEmpty)
        }
    }

    @Test("A body of any length leaves the answer of the path as it is", arguments: ["/none", "/index.html"])
    func largeBody(target: String) throws {
        try serve(.folder) { client in
            let reply = try client.call("POST", target, "Content-Length: 3000000")
            #expect(reply.status == (target == "/none" ? 404 : 405))
            #expect(reply.value("Connection") == "close")
        }
    }

    @Test("A request for a file that is unchanged by tag or date gets 304", arguments: Source.allCases)
    func validated(source: Source) throws {
        try serve(source) { client in
            let tag = try #require(client.ask("/").value("ETag"))
            for field in ["If-None-Match: \(tag)", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"] {
                for method in ["GET", "HEAD"] {
                    let reply = try client.call(method, "/", field)
                    #expect(reply.status == 304, "\(field)")
                    #expect(reply.value("ETag") == tag)
                    #expect(reply.value("Vary") == "Accept-Encoding")
                    #expect(reply.value("Cache-Control") == "no-cache")
                    #expect(reply.value("Content-Type") == nil)
                    #expect(reply.value("Content-Length") == nil)
                }
            }
            #expect(try client.ask("/", "If-None-Match: \"other\"").status == 200)
            let failed = try client.ask("/", "If-Match: \"other\"")
            #expect(failed.status == 412)
            #expect(code(of: failed) == "PRECONDITION_FAILED")
        }
    }

    @Test(
        "A range gets 206, an unsatisfiable range 416 with the length, and several ranges the whole file",
        arguments: Source.allCases)
    func ranges(source: Source) throws {
        try serve(source) { client in
            let count = Self.page.count
            let part = try client.ask("/", "Range: bytes=10-19")
            #expect(part.status == 206)
            #expect(part.body == Array(Self.page[10..<20]))
            #expect(part.value("Content-Range") == "bytes 10-19/\(count)")
            #expect(part.value("Content-Type") == "text/html; charset=utf-8")
            #expect(try client.ask("/", "Range: bytes=-1").body == Array(Self.page.suffix(1)))
            let none = try client.ask("/", "Range: bytes=\(count)-")
            #expect(none.status == 416)
            #expect(none.value("Content-Range") == "bytes */\(count)")
            #expect(code(of: none) == "RANGE_NOT_SATISFIABLE")
            let several = try client.ask("/", "Range: bytes=0-1,5-6")
            #expect(several.status == 200)
            #expect(several.body == Self.page)
            let tag = try #require(part.value("ETag"))
            #expect(try client.ask("/", "Range: bytes=0-1", "If-Range: \(tag)").status == 206)
            #expect(try client.ask("/", "Range: bytes=0-1", "If-Range: \"other\"").status == 200)
        }
    }

    @Test("If gzip is accepted, the file is sent compressed and with another tag", arguments: Source.allCases)
    func compressed(source: Source) throws {
        try serve(source) { client in
            let plain = try client.ask("/", "Accept-Encoding: br;q=0, gzip;q=0")
            #expect(plain.body == Self.page)
            let reply = try client.ask("/", "Accept-Encoding: gzip, br;q=0.9")
            #expect(reply.value("Content-Encoding") == "gzip")
            #expect(reply.value("Content-Type") == "text/html; charset=utf-8")
            #expect(reply.value("Vary") == "Accept-Encoding")
            #expect(reply.body.count * 5 < Self.page.count)
            #expect(reply.body.starts(with: [0x1f, 0x8b]))
            let tag = try #require(reply.value("ETag"))
            #expect(tag != plain.value("ETag"))
            #expect(try client.ask("/", "Accept-Encoding: gzip", "If-None-Match: \(tag)").status == 304)
            #expect(try client.ask("/", "If-None-Match: \(tag)").status == 200)
            // The folder has no compressed copy; the built-in file is too small to gain from gzip.
            let style = try client.ask("/css/page.css", "Accept-Encoding: gzip")
            #expect(style.text == "p{}")
            #expect(style.value("Vary") == nil)
            // Without Accept-Encoding nobody looks for a copy, so a cache has to ask again for others.
            let unasked = try client.ask("/css/page.css")
            #expect(unasked.value("Vary") == (source == .folder ? "Accept-Encoding" : nil))
            #expect(unasked.value("ETag") == style.value("ETag"))
        }
    }

    @Test("A built-in file is sent as br to clients that like it as much as gzip, and a folder's never")
    func brotli() throws {
        var sizes: [Source: Int] = [:]
        for source in Source.allCases {
            try serve(source) { client in
                let reply = try client.ask("/", "Accept-Encoding: gzip, deflate, br")
                #expect(reply.value("Vary") == "Accept-Encoding")
                sizes[source] = reply.body.count
                let gzip = try client.ask("/", "Accept-Encoding: gzip")
                guard source == .builtIn else { return #expect(reply.value("Content-Encoding") == "gzip") }
                #expect(reply.value("Content-Encoding") == "br")
                let decoder = try ContentDecoder([.brotli])
                var output = [UInt8](repeating: 0, count: Self.page.count + 1)
                var consumed = 0
                let count = try reply.body.withUnsafeBytes { input in
                    try output.withUnsafeMutableBytes {
                        try decoder.decode(input, consumed: &consumed, into: $0)
                    }
                }
                #expect(Array(output[..<count]) == Self.page)
                let tag = try #require(reply.value("ETag"))
                #expect(tag != gzip.value("ETag"))
                #expect(try client.ask("/", "Accept-Encoding: br", "If-None-Match: \(tag)").status == 304)
                #expect(try client.ask("/", "Accept-Encoding: gzip", "If-None-Match: \(tag)").status == 200)
                #expect(
                    try client.ask("/", "Accept-Encoding: br", "Range: bytes=0-3").body
                        == Array(reply.body[..<4]))
            }
        }
        #expect(sizes.count == 2)
    }

    @Test("A compressed copy is sent byte for byte, unless the file itself is newer")
    func beside() throws {
        try serve(.folder) { client in
            let reply = try client.ask("/", "Accept-Encoding: gzip")
            #expect(reply.body == Deflated.gzip(Self.page))
            #expect(try client.ask("/index.html.gz").value("Content-Type") == "application/gzip")
            try fixture.write("index.html", "new", modified: Self.modified + 1)
            let changed = try client.ask(
                "/", "Accept-Encoding: gzip", "If-None-Match: \(reply.value("ETag") ?? "")")
            #expect(changed.status == 200)
            #expect(changed.text == "new")
            #expect(changed.value("Content-Encoding") == nil)
        }
    }

    @Test("A changed file has another tag, and an added file is served at once")
    func changes() throws {
        try serve(.folder) { client in
            let tag = try #require(client.ask("/css/page.css").value("ETag"))
            try fixture.write("css/page.css", "q{}", modified: Self.modified + 1)
            let changed = try client.ask("/css/page.css", "If-None-Match: \(tag)")
            #expect(changed.status == 200)
            #expect(changed.text == "q{}")
            try fixture.write("folder/index.html", "inner")
            #expect(try client.ask("/folder/").text == "inner")
            try fixture.write("empty.txt", "")
            let empty = try client.ask("/empty.txt")
            #expect(empty.status == 200)
            #expect(empty.value("Content-Length") == "0")
            #expect(try FileManager.default.removeItem(atPath: fixture.root + "/css") == ())
            #expect(try client.ask("/css/page.css").status == 404)
        }
    }

    @Test("A file from before 1970 is dated 1970")
    func past() throws {
        try fixture.write("old.txt", "old", modified: -86_399)
        try serve(.folder) { client in
            let reply = try client.ask("/old.txt")
            #expect(reply.text == "old")
            let date = "Thu, 01 Jan 1970 00:00:00 GMT"
            #expect(reply.value("Last-Modified") == date)
            #expect(try client.ask("/old.txt", "If-Modified-Since: \(date)").status == 304)
            let tag = reply.value("ETag") ?? ""
            #expect(try client.ask("/old.txt", "If-None-Match: \(tag)").status == 304)
        }
    }

    @Test("A file dated in the future is sent with the current date and does not match If-Modified-Since")
    func future() throws {
        try fixture.write("late.txt", "late", modified: 4_102_444_800)
        try serve(.folder) { client in
            let reply = try client.ask("/late.txt")
            #expect(reply.value("Last-Modified") == reply.value("Date"))
            #expect(
                try client.ask("/late.txt", "If-Modified-Since: \(reply.value("Date") ?? "")").status == 200)
        }
    }

    @Test("If a maximum age is set, browsers may cache files for that long")
    func maxAge() throws {
        var files = StaticFiles.folder(fixture.root)
        files.maxAge = .seconds(3600)
        files.contentSecurityPolicy = "default-src 'self'"
        try fixture.serve(files) { port in
            let reply = try RawClient(port: port).ask("/")
            #expect(reply.values("Cache-Control") == ["public, max-age=3600"])
            #expect(reply.values("Content-Security-Policy") == ["default-src 'self'"])
        }
    }

    @Test(
        "Requests for files and endpoints on one connection are answered in order",
        arguments: Source.allCases)
    func pipelined(source: Source) throws {
        try serve(source) { client in
            let targets = ["/css/page.css", "/api/value", "/none", "/", "/css/page.css"]
            client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: test\r\n\r\n" }.joined())
            let statuses = try targets.map { _ in try client.reply().status }
            #expect(statuses == [200, 200, 404, 200, 200])
        }
    }

    @Test("An HTTP/1.0 client gets its file, and the connection closes", arguments: Source.allCases)
    func http10(source: Source) throws {
        try serve(source) { client in
            client.send("GET /css/page.css HTTP/1.0\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.text == "p{}")
            #expect(client.reachesEnd())
        }
    }

    @Test("Each request for a file is logged with status, bytes and id, and without a route")
    func logged() throws {
        let lines = try fixture.serve { port in
            let client = try RawClient(port: port)
            _ = try client.ask("/?key=secret", "X-Request-Id: mine")
            _ = try client.ask("/", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT")
            _ = try client.call("HEAD", "/css/page.css")
            _ = try client.ask("/none")
            _ = try client.call("DELETE", "/")
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [200, 304, 200, 404, 405])
        #expect(lines.map { $0[member: "method"]?.stringValue } == ["GET", "GET", "HEAD", "GET", "DELETE"])
        #expect(lines.map { $0[member: "path"]?.stringValue } == ["/", "/", "/css/page.css", "/none", "/"])
        #expect(lines.first?[member: "requestId"]?.stringValue == "mine")
        #expect(lines.first?[member: "bytesOut"]?.intValue ?? 0 > Self.page.count)
        for line in lines {
            #expect(line[member: "route"] == nil)
            #expect(line[member: "requestId"]?.stringValue?.isEmpty == false)
            #expect(line[member: "elapsedMs"]?.doubleValue ?? -1 >= 0)
            #expect(!line.description.contains("secret"))
        }
    }
}
