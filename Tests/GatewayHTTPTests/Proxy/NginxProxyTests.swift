import Foundation
import GatewayCore
import Networking
import TestSupport
import Testing

@testable import GatewayHTTP

/// curl as the client of a gateway that passes all on to nginx.
@Suite(
    "curl and nginx with a gateway between them", .timeLimit(.minutes(2)),
    .enabled(if: Nginx.isInstalled && Curl.program != nil, "nginx or curl is not installed"))
struct NginxProxyTests {
    /// Runs curl, or nginx directly with the same arguments, where each `{base}` is the address.
    private struct Peers {
        let nginx: Nginx
        let direct: Curl
        let through: Curl
    }

    private static let file: [UInt8] = (0..<(8 << 20)).map {
        UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11)
    }

    private func run(_ server: String = "", _ body: (Peers) throws -> Void) throws {
        let nginx = try Nginx(
            "location /up/ { dav_methods PUT DELETE; client_max_body_size 1m; } \(server)",
            files: ["file.bin": Self.file])
        try FileManager.default.createDirectory(atPath: nginx.file("up"), withIntermediateDirectories: true)
        let direct = "http://127.0.0.1:\(nginx.port)"
        _ = try withLoggedGateway(
            stops: true, configure: { _ in },
            declare: { gateway in
                gateway.proxy("/{path...}", to: gateway.proxyUpstream("nginx", baseURL: direct))
            }
        ) { gateway in
            try body(
                Peers(
                    nginx: nginx, direct: Curl(base: direct, in: nginx.folder),
                    through: Curl(base: "http://127.0.0.1:\(gateway.port)", in: nginx.folder)))
        }
    }

    struct Request: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var arguments: [String]
        var status: Int
    }

    /// `{etag}` and `{date}` come from the file.
    private static let requests = [
        Request(testDescription: "whole", arguments: [], status: 200),
        Request(testDescription: "first 100 bytes", arguments: ["-r", "0-99"], status: 206),
        Request(testDescription: "last 100 bytes", arguments: ["-r", "-100"], status: 206),
        Request(testDescription: "from an offset", arguments: ["-r", "8388600-"], status: 206),
        Request(testDescription: "two ranges", arguments: ["-r", "0-9,5000000-5000099"], status: 206),
        Request(testDescription: "range behind the end", arguments: ["-r", "99999999-"], status: 416),
        Request(testDescription: "HEAD", arguments: ["-I"], status: 200),
        Request(testDescription: "HEAD of nothing", arguments: ["-I", "{missing}"], status: 404),
        Request(testDescription: "same tag", arguments: ["-H", "If-None-Match: {etag}"], status: 304),
        Request(testDescription: "other tag", arguments: ["-H", "If-None-Match: \"x\""], status: 200),
        Request(
            testDescription: "not modified", arguments: ["-H", "If-Modified-Since: {date}"], status: 304),
        Request(
            testDescription: "modified",
            arguments: ["-H", "If-Modified-Since: Thu, 01 Jan 1970 00:00:01 GMT"], status: 200),
        Request(
            testDescription: "range of the same", arguments: ["-r", "0-99", "-H", "If-Range: {etag}"],
            status: 206),
        Request(
            testDescription: "range of another", arguments: ["-r", "0-99", "-H", "If-Range: \"x\""],
            status: 200),
        Request(testDescription: "failed match", arguments: ["-H", "If-Match: \"x\""], status: 412),
        Request(
            testDescription: "modified meanwhile",
            arguments: ["-H", "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:01 GMT"],
            status: 412),
    ]

    @Test("The answer is nginx's: status, validators, ranges and bytes", arguments: requests)
    func same(request: Request) throws {
        try run { peers in
            let head = try peers.direct.get("/file.bin", "-I")
            let arguments = request.arguments.filter { $0 != "{missing}" }.map {
                $0.replacing("{etag}", with: head["etag"] ?? "").replacing(
                    "{date}", with: head["last-modified"] ?? "")
            }
            let path = request.arguments.contains("{missing}") ? "/missing" : "/file.bin"
            let expected = try peers.direct.get(path, arguments)
            let seen = try peers.through.get(path, arguments)
            #expect(expected.status == request.status)
            #expect(seen.status == expected.status)
            for name in ["content-length", "content-range", "etag", "last-modified", "accept-ranges"] {
                #expect(seen[name] == expected[name], "\(name)")
            }
            // nginx numbers the boundaries of multipart responses.
            let boundary = expected.boundary
            #expect((seen.boundary == nil) == (boundary == nil))
            if let boundary, let other = seen.boundary {
                #expect(seen.body.replacing(Array(other.utf8), with: Array(boundary.utf8)) == expected.body)
            } else {
                #expect(seen["content-type"] == expected["content-type"])
                #expect(seen.body == expected.body)
            }
        }
    }

    @Test("A download that was interrupted is resumed to the same bytes")
    func resumed() throws {
        try run { peers in
            let path = peers.nginx.folder.file("partial")
            let broken = try peers.through.run(
                ["-o", path, peers.through.base + "/file.bin"], fileBlocks: 4096)
            #expect(broken == 23)
            let part = try Data(contentsOf: URL(fileURLWithPath: path)).count
            #expect(part > 0 && part < Self.file.count)
            let rest = try peers.through.run(["-f", "-C", "-", "-o", path, peers.through.base + "/file.bin"])
            #expect(rest == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).elementsEqual(Self.file))
            #expect(peers.nginx.accessLog.contains("206 GET /file.bin HTTP/1.1 \(Self.file.count - part)"))
        }
    }

    @Test("An upload arrives at nginx, with an expectation or without, with a length or in chunks")
    func uploads() throws {
        let body = Array(Self.file.prefix(1 << 20))
        try run { peers in
            let path = peers.nginx.folder.file("upload")
            try Data(body).write(to: URL(fileURLWithPath: path))
            let ways = [
                ["-T", path], ["-H", "Expect:", "-T", path], ["-H", "Expect: 100-continue", "-T", path],
                ["-H", "Transfer-Encoding: chunked", "-T", path],
            ]
            for (number, way) in ways.enumerated() {
                let seen = try peers.through.get("/up/\(number)", way)
                #expect(seen.status == 201)
                #expect(
                    try Data(contentsOf: URL(fileURLWithPath: peers.nginx.file("up/\(number)")))
                        .elementsEqual(body))
            }
            #expect(try peers.through.get("/up/0", "-X", "DELETE").status == 204)
        }
    }

    @Test("curl reads nginx's 413 to an upload that is too long, at its head or half-way")
    func refused() throws {
        try run { peers in
            let path = peers.nginx.folder.file("upload")
            try Data(Self.file).write(to: URL(fileURLWithPath: path))
            let ways = [
                ["-H", "Expect: 100-continue", "-T", path], ["-H", "Expect:", "-T", path],
                ["-H", "Expect:", "-H", "Transfer-Encoding: chunked", "-T", path],
                ["-H", "Expect: 100-continue", "-H", "Transfer-Encoding: chunked", "-T", path],
            ]
            for way in ways {
                let expected = try peers.direct.get("/up/large", way)
                #expect(expected.status == 413)
                let seen = try peers.through.get("/up/large", way)
                #expect(seen.status == 413, "\(way)")
                #expect(seen.body == expected.body, "\(way)")
                #expect(seen["content-type"] == "text/html")
            }
            #expect(!FileManager.default.fileExists(atPath: peers.nginx.file("up/large")))
        }
    }
}
