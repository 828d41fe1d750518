import Foundation
import Glibc
import TestSupport
import Testing

@testable import GatewayHTTP

/// Tries path traversal with requests that only a raw socket can send.
@Suite("Path traversal", .timeLimit(.minutes(1)))
struct FileTraversalTests {
    private let fixture: FileFixture
    private static let secret = "the secret outside"

    init() throws {
        fixture = try FileFixture()
        try fixture.write("index.html", "page")
        try fixture.write("a/b/file.txt", "inner")
        try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: fixture.scratch.file("secret.txt")))
        for name in [".hidden", ".git/config", "a/.env", "a/.dir/file.txt", "...", "..a"] {
            try fixture.write(name, Self.secret)
        }
        let outside = fixture.scratch.path
        for (name, target) in [
            ("out", ".."), ("absolute", outside), ("secret.txt", "../secret.txt"), ("a/up", "../.."),
            ("proc", "/proc/self/root"),
        ] {
            #expect(symlink(target, fixture.root + "/" + name) == 0)
        }
    }

    static let ups = [
        "..", "%2e%2e", "%2E%2E", ".%2e", "%2e.", "%252e%252e", "..%00", "..%20", "...", "....", "..;",
        "%c0%ae%c0%ae",
        "%e0%80%ae%e0%80%ae", "%u002e%u002e", "..%5c", "..%2f", "%2f..", "..%252f", "..%c0%af", "..%255c",
    ]

    static let targets: [String] =
        ups.flatMap { up in
            [
                "/\(up)/secret.txt", "/a/\(up)/\(up)/secret.txt", "//\(up)/secret.txt",
                "/a/b/file.txt/\(up)/\(up)/\(up)/\(up)/secret.txt",
            ]
        }
        + [
            "//secret.txt", "///secret.txt", "/./secret.txt", "/a//../secret.txt", "/..%2fsecret.txt",
            "/%2e%2e%2fsecret.txt",
            "/..%5csecret.txt", "/%2e%2e%5csecret.txt", "/a/..%2f..%2fsecret.txt", "/%2fetc/passwd",
            "//etc/passwd",
            "/%2Fetc%2Fpasswd", "/etc/passwd", "/c:/secret.txt", "/file:///etc/passwd", "/secret.txt%00.html",
            "/%00", "/index.html%00", "/a/b/%00/file.txt", "/secret.txt%0a", "/~root/secret.txt",
            "/out/secret.txt", "/absolute/secret.txt", "/secret.txt", "/a/up/secret.txt",
            "/out/public/index.html",
            "/proc/etc/passwd", "/proc/proc/self/environ",
            "/.hidden", "/%2ehidden", "/.git/config", "/a/.env", "/a/.dir/file.txt", "/a/%2eenv", "/...",
            "/..a", "/%2e%2ea",
            "http://test/../secret.txt", "http://test//secret.txt", "http://test/%2e%2e/secret.txt",
            "/" + String(repeating: "../", count: 2000) + "secret.txt",
            "/" + String(repeating: "a/../", count: 1000) + "secret.txt",
            "/" + String(repeating: "%2e%2e/", count: 1000) + "secret.txt",
            "/" + String(repeating: "n", count: 300), "/" + String(repeating: "n/", count: 3000),
            "/" + String(repeating: "a/", count: 5000),
        ]

    @Test("Each path traversal gets an error in the envelope, and the gateway keeps serving")
    func refused() throws {
        try fixture.serve { port in
            for target in Self.targets {
                let client = try RawClient(port: port)
                client.send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
                let reply = try client.reply()
                let shown = target.prefix(80)
                #expect([400, 404, 414].contains(reply.status), "\(shown): \(reply.status)")
                #expect(code(of: reply) != nil, "\(shown)")
                #expect(!reply.text.contains(Self.secret), "\(shown)")
                #expect(!reply.text.contains("root:"), "\(shown)")
            }
            #expect(try RawClient(port: port).ask("/a/b/file.txt").text == "inner")
        }
    }

    @Test("Invalid bytes in a request line are refused before any file is looked up")
    func rawBytes() throws {
        try fixture.serve { port in
            for byte in [0x00, 0x01, 0x09, 0x0b, 0x7f, 0x80, 0xae, 0xff] as [UInt8] {
                let client = try RawClient(port: port)
                client.send(
                    Array("GET /..".utf8) + [byte] + Array("/secret.txt HTTP/1.1\r\nHost: test\r\n\r\n".utf8))
                let reply = try client.reply()
                #expect(reply.status == 400, "\(byte)")
            }
            // A backslash is valid in a target but not in a path.
            #expect(try RawClient(port: port).ask("/..\\secret.txt").status == 400)
        }
    }

    @Test("A folder replaced by a link between requests gives no access outside the root")
    func swapped() throws {
        try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: fixture.scratch.file("file.txt")))
        try fixture.serve { port in
            let client = try RawClient(port: port)
            for _ in 0..<50 {
                #expect(try client.ask("/a/b/file.txt").text == "inner")
                #expect(rename(fixture.root + "/a/b", fixture.root + "/a/kept") == 0)
                #expect(symlink("../..", fixture.root + "/a/b") == 0)
                #expect(try client.ask("/a/b/file.txt").status == 404)
                #expect(unlink(fixture.root + "/a/b") == 0)
                #expect(rename(fixture.root + "/a/kept", fixture.root + "/a/b") == 0)
            }
        }
    }

    @Test("A pipe or a folder is not served, and a pipe does not block")
    func kinds() throws {
        #expect(mkfifo(fixture.root + "/pipe", 0o666) == 0)
        try fixture.serve { port in
            let client = try RawClient(port: port)
            #expect(try client.ask("/pipe").status == 404)
            #expect(try client.ask("/a").status == 404)
            #expect(try client.ask("/index.html").text == "page")
        }
    }
}
