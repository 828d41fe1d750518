import ContentCoding
import Foundation
import GatewayCore
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Slow readers of compressed answers", .timeLimit(.minutes(2)))
struct SlowCompressionTests {
    /// Text of this many bytes. Compressed, it is smaller by a quarter.
    private static func noise(_ count: Int) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var random: UInt64 = 1
        let bytes = (0..<count).map { _ in
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return letters[Int(random >> 58)]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let text = noise(4 << 20)

    private func serve(
        _ options: [EndpointOption] = [], configure: (inout GatewayServerConfiguration) -> Void = { _ in },
        live: PublishRelay<[UInt8]> = PublishRelay(), _ body: (GatewayServer) throws -> Void
    ) throws -> [JSONFragment] {
        try withLoggedGateway(stops: true, configure: configure) { gateway in
            gateway.on(.get, "/large", options) { _ in .json(Self.text) }
            gateway.get("/one") { _ in
                .stream(Observable.just(Array(Self.text.utf8)), contentType: "text/plain")
            }
            gateway.get("/live") { _ in .stream(live.asObservable(), contentType: "text/event-stream") }
        } _: { server in
            try body(server)
        }
    }

    /// Sends a request, and returns a client that reads no more than the head of the answer.
    private func begin(
        _ target: String = "/large", at server: GatewayServer, host: UInt8 = 1
    ) throws -> (client: RawClient, isCoded: Bool) {
        let client = try RawClient(port: server.port, receiveBuffer: 4096, host: host)
        client.send("GET \(target) HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
        return (client, try client.read(through: "\r\n\r\n").contains("Content-Encoding: gzip"))
    }

    private func read(_ client: RawClient) throws -> String {
        client.send("GET /large HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
        let reply = try client.reply()
        #expect(reply.value("Content-Encoding") == "gzip")
        return try decoded(reply.body)
    }

    private func decoded(_ body: [UInt8]) throws -> String {
        let decoder = try ContentDecoder([.gzip])
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var bytes: [UInt8] = []
        var consumed = 0
        while true {
            let count = try body.withUnsafeBytes { input in
                try buffer.withUnsafeMutableBytes { try decoder.decode(input, consumed: &consumed, into: $0) }
            }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        try decoder.finish()
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Clients that read slowly leave the places of their endpoint to others")
    func places() throws {
        _ = try serve([.concurrency(5)]) { server in
            let readers = try (0..<5).map { _ in try begin(at: server) }
            let areCoded = readers.allSatisfy(\.isCoded)
            #expect(areCoded)
            try spin(while: server.settled.requests > 0) { "\(server.settled.requests) requests in flight" }
            let text = try read(try RawClient(port: server.port))
            #expect(text.contains(Self.text))
        }
    }

    @Test("Clients that read slowly leave compression to others")
    func streams() throws {
        _ = try serve {
            $0.compression?.streams = 1
        } _: { server in
            let reader = try begin(at: server)
            #expect(reader.isCoded)
            try spin(while: server.settled.requests > 0) { "\(server.settled.requests) requests in flight" }
            let text = try read(try RawClient(port: server.port))
            #expect(text.contains(Self.text))
        }
    }

    @Test(
        "A client that reads streams slowly gets at most half of the compression, also behind a proxy; the rest is for others",
        arguments: [false, true])
    func shares(behindProxy: Bool) throws {
        let live = PublishRelay<[UInt8]>()
        let trusted = try behindProxy ? TrustedProxies(["loopback"]) : TrustedProxies()
        func configure(_ configuration: inout GatewayServerConfiguration) {
            configuration.compression?.streams = 4
            configuration.clients.trusted = trusted
        }
        _ = try serve(configure: configure, live: live) { server in
            func open(host: UInt8) throws -> Bool {
                let client = try RawClient(port: server.port, host: behindProxy ? 1 : host)
                // Without a trusted proxy this is an empty claim.
                let field = "X-Forwarded-For: 203.0.113.\(behindProxy ? host : 9)\r\n"
                client.send("GET /live HTTP/1.1\r\nHost: test\r\n\(field)Accept-Encoding: gzip\r\n\r\n")
                clients.append(client)
                // The first piece starts the answer once somebody subscribes.
                func isSilent() -> Bool {
                    guard client.end(within: 10) == .silence else { return false }
                    live.accept(Array("data: 1\n\n".utf8))
                    return true
                }
                try spin(while: isSilent()) { "no answer, \(server.settled.requests) requests in flight" }
                return try client.read(through: "\r\n\r\n").contains("Content-Encoding: gzip")
            }
            var clients: [RawClient] = []
            let shares = try (0..<3).map { _ in try open(host: 1) }
            #expect(shares == [true, true, false])
            #expect(server.metric("compression_streams") == 2)
            #expect(server.metric(#"limit_used_ratio{limit="streams"}"#) == 0.5)
            let other = try open(host: 2)
            #expect(other)
        }
    }

    @Test("What waits for slow clients moves to a file, also of compressed answers, and arrives complete")
    func spooled() throws {
        let scratch = ScratchFolder()
        func files() -> Int {
            let folder = "/proc/self/fd"
            let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return descriptors.count { descriptor in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)"))?
                    .hasPrefix(scratch.file("")) == true
            }
        }
        _ = try serve {
            $0.inbound.spoolDirectory = scratch.file("")
        } _: { server in
            let (client, isCoded) = try begin(at: server)
            #expect(isCoded)
            try spin(while: files() == 0) { "no file in \(scratch.file(""))" }
            let bytes = #"answer_bytes_waiting{place="file"}"#
            let used = #"limit_used_ratio{limit="spool"}"#
            func share() -> Double { (server.metric(bytes) ?? 0) / Double(1 << 30) }
            try spin(while: share() == 0 || server.metric(used) != share()) {
                "\(server.metric(used) ?? -1), not \(share())"
            }
            let text = try decoded(try chunks(of: client))
            #expect(text.contains(Self.text))
            try spin(while: files() > 0) { "\(files()) files in \(scratch.file(""))" }
            try server.wait(for: bytes, toBe: 0)
            #expect(server.metric(used) == 0)
        }
    }

    /// Reads a chunked body behind its head.
    private func chunks(of client: RawClient) throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = try client.read(through: "\r\n")
            let size = try #require(Int(line.dropLast(), radix: 16))
            let chunk = try client.read(count: size + 2)
            if size == 0 { return body }
            body += chunk.dropLast(2)
        }
    }

    @Test("A large piece of a stream is compressed slice by slice, and arrives complete")
    func largePiece() throws {
        _ = try serve { server in
            let client = try RawClient(port: server.port)
            client.send("GET /one HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.value("Content-Encoding") == "gzip")
            #expect(try decoded(reply.body) == Self.text)
        }
    }

    @Test("If too many bytes wait for slow clients, the slowest is reset, compressed answers or not")
    func victims() throws {
        let lines = try serve {
            $0.inbound.waitingAnswers = 16 << 20
            $0.inbound.spoolDirectory = nil
        } _: { server in
            var readers: [RawClient] = []
            for number in 1...8 {
                let (client, isCoded) = try begin(at: server)
                readers.append(client)
                // Half of the memory is for what is written.
                if number <= 2 { #expect(isCoded) }
                try spin(while: server.settled.requests > 0) {
                    "\(server.settled.requests) requests in flight"
                }
            }
            #expect(server.settled.connections < 8)
            let client = try RawClient(port: server.port)
            client.send("GET /large HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
            #expect(try client.reply().status == 200)
        }
        #expect(lines.ends.contains("stalled"))
    }

    @Test("An answer for which there is no memory while it is compressed is sent as it is")
    func scarce() throws {
        _ = try serve {
            $0.inbound.waitingAnswers = 8 << 20
        } _: { server in
            let client = try RawClient(port: server.port)
            client.send("GET /large HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.value("Content-Encoding") == nil)
            #expect(reply.text.contains(Self.text))
        }
    }
}
