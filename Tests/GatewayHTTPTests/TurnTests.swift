import EventIO
import Foundation
import GatewayCore
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Much work of one client", .timeLimit(.minutes(2)))
struct TurnTests {
    /// Hexadecimal digits of random numbers: 112 KiB that take a millisecond to compress.
    private static let text = (0..<7 << 10).map { _ in
        String(UInt64.random(in: .min ... .max) | 1 << 63, radix: 16)
    }.joined()

    /// Keeps the loop busy until a test has sent its requests.
    private final class Gate: Sendable {
        private let (entered, release) = (Signal(), Signal())

        /// In a handler.
        func hold() {
            entered.fire()
            try? release.waitBlocking()
        }

        /// Sends a request to `/gate`, and then calls `send` while the loop is busy.
        func close(at server: GatewayServer, while send: () throws -> Void) throws {
            let client = try RawClient(port: server.port)
            client.send("GET /gate HTTP/1.1\r\nHost: test\r\n\r\n")
            try entered.waitBlocking()
            let sent = Result { try send() }
            release.fire()
            try sent.get()
            #expect(try client.reply().status == 200)
        }
    }

    private func get(_ path: String) -> String {
        "GET \(path) HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n"
    }

    private func place(of path: String, in lines: [JSONFragment]) -> Int {
        lines.firstIndex { $0[member: "path"]?.stringValue == path } ?? .max
    }

    @Test("Compressed answers to pipelined requests delay no other client")
    func pipelined() throws {
        let gate = Gate()
        let lines = try withLoggedGateway { _ in
        } declare: { gateway in
            gateway.get("/gate") { _ in
                gate.hold()
                return .json(1)
            }
            gateway.get("/large") { _ in .json(Self.text) }
            gateway.get("/ping") { _ in .json(1) }
        } _: { server in
            let busy = try RawClient(port: server.port, host: 2)
            let other = try RawClient(port: server.port, host: 3)
            try gate.close(at: server) {
                busy.send(String(repeating: get("/large"), count: 100))
                other.send(get("/ping"))
            }
            #expect(try other.reply().status == 200)
            for _ in 0..<100 { #expect(try busy.reply().value("Content-Encoding") == "gzip") }
        }
        #expect(lines.count == 102)
        #expect(place(of: "/ping", in: lines) < 12)
    }

    @Test("Answers that are ready together are compressed in turns, and delay no other client")
    func together() throws {
        let gate = Gate()
        let ready = PublishSubject<Answer>()
        let lines = try withLoggedGateway { _ in
        } declare: { gateway in
            gateway.get("/gate") { _ in
                gate.hold()
                ready.onNext(.json(Self.text))
                return .json(1)
            }
            gateway.get("/large") { _ in ready.take(1).asSingle() }
            gateway.get("/ping") { _ in .json(1) }
        } _: { server in
            let busy = try (0..<40).map { _ in try RawClient(port: server.port, host: 2) }
            for client in busy { client.send(get("/large")) }
            try spin(while: server.settled.requests < 40) { "\(server.settled.requests) requests" }
            let other = try RawClient(port: server.port, host: 3)
            try gate.close(at: server) { other.send(get("/ping")) }
            #expect(try other.reply().status == 200)
            for client in busy { #expect(try client.reply().value("Content-Encoding") == "gzip") }
        }
        #expect(lines.count == 42)
        #expect(place(of: "/ping", in: lines) < 12)
    }

    @Test("Large bodies of one client do not delay those of another")
    func bodies() throws {
        let (begun, release) = (Signal(), Signal())
        let pipe = RawPipe()
        let gateway = try FileGateway(
            """
            version: 1
            endpoints:
            - post: /body
              body: {type: object, properties: {a: {type: string}}}
              data: {value: "{body.a}"}
            """, log: pipe.writer
        ) { $0.accessLog = true }
        let server = gateway.server
        // Keeps the threads busy.
        for _ in 0..<2 {
            let isTaken = WorkThreads.submit(.requests) {
                begun.fire()
                try? release.waitBlocking()
            }
            #expect(isTaken)
            try begun.waitBlocking()
        }
        func post(_ host: UInt8) throws -> RawClient {
            let client = try RawClient(port: server.port, host: host)
            let body = #"{"a":""# + String(repeating: "x", count: 600_000) + #""}"#
            client.send(
                "POST /body HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return client
        }
        let busy = try (0..<20).map { _ in try post(2) }
        try spin(while: server.settled.requests < 20) { "\(server.settled.requests) requests" }
        let other = try post(3)
        try spin(while: server.settled.requests < 21) { "\(server.settled.requests) requests" }
        for _ in 0..<2 { release.fire() }
        #expect(try other.reply().status == 200)
        for client in busy { #expect(try client.reply().status == 200) }
        gateway.stop()
        close(pipe.writer)
        let lines = pipe.readAll().split(separator: "\n").map { Array($0.utf8)[...] }
        close(pipe.reader)
        let remotes = lines.compactMap { line in
            (try? JSONFragment(validating: line))?[member: "remote"]?.stringValue
        }
        let place = remotes.firstIndex { $0.hasPrefix("127.0.0.3:") } ?? .max
        #expect(place <= 4, "\(remotes)")
    }
}
