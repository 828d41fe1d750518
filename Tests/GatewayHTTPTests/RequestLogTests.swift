import Foundation
import GatewayConfig
import GatewayCore
import Glibc
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Lines that endpoints write to the log", .timeLimit(.minutes(1)))
struct RequestLogTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    /// Serves an endpoint while one request is answered. Returns the lines of both logs.
    private func lines(
        level: LogLevel = .info, format: LogFormat = .json, path: String = "/orders/7",
        _ handler: @escaping @Sendable (GatewayRequest) async throws -> Answer
    ) throws -> (access: [JSONFragment], own: [String]) {
        let errors = RawPipe()
        defer { close(errors.reader) }
        let access = try withLoggedGateway(
            errors: errors.writer,
            configure: {
                $0.accessLog = format == .json ? .on : .off
                $0.logLevel = level
                $0.logFormat = format
            },
            declare: { $0.on(.get, "/orders/{id}", [], handler) },
            { server in
                let client = try RawClient(port: server.port)
                client.send(
                    "GET \(path) HTTP/1.1\r\nHost: test\r\nX-Request-Id: r1\r\n"
                        + "traceparent: 00-\(Self.trace)-00f067aa0ba902b7-01\r\n\r\n")
                #expect(try client.reply().status == 200)
            })
        close(errors.writer)
        let own = errors.readAll().split(separator: "\n").map(String.init).filter {
            $0.contains("order placed")
        }
        return (access, own)
    }

    @Test("A line has the level, the ids of the request and of its trace, the route and its own members")
    func members() throws {
        let (_, own) = try lines(format: .text) { request in
            let order = try request.path("id", as: Int.self)
            request.log(.warning, "order placed", ["order": order])
            return .json(1)
        }
        let line = try #require(own.first)
        #expect(
            line.contains(
                "warning order placed  requestId=r1 traceId=\(Self.trace) route=/orders/{id} order=7"),
            "\(line)")
    }

    @Test("Values are JSON on one line, reserved names get an underscore, and long texts are cut")
    func values() throws {
        let pretty = try JSONFragment(parsing: "{\n  \"a\": [1,\n 2]\n}")
        let (access, own) = try lines { request in
            request.log(
                .info, "order placed",
                [
                    "time": "noon", "text": "two\nlines", "number": 1.5, "isNew": true, "none": Int?.none,
                    "list": ["a", "b"], "model": pretty, "wrong": Double.nan,
                    "long": String(repeating: "x", count: 5000),
                ])
            return .json(1)
        }
        let line = try JSONFragment(validating: Array(try #require(own.first).utf8)[...])
        #expect(line[member: "level"]?.stringValue == "info")
        #expect(line[member: "requestId"]?.stringValue == "r1")
        #expect(line[member: "traceId"]?.stringValue == Self.trace)
        #expect(access.first?[member: "requestId"]?.stringValue == "r1")
        #expect(access.first?[member: "traceId"]?.stringValue == Self.trace)
        #expect(line[member: "time_"]?.stringValue == "noon")
        #expect(line[member: "text"]?.stringValue == "two\nlines")
        #expect(line[member: "number"]?.description == "1.5")
        #expect(line[member: "isNew"]?.description == "true")
        #expect(line[member: "none"]?.description == "null")
        #expect(line[member: "list"]?.description == #"["a","b"]"#)
        #expect(line[member: "model"]?[member: "a"] != nil)
        #expect(line[member: "wrong"]?.stringValue == "nan")
        #expect(line[member: "long"]?.stringValue?.utf8.count == 4096)
    }

    @Test("A line below the log's level is not written, and its values are not computed")
    func level() throws {
        let computed = Signal()
        let (_, own) = try lines(level: .error) { request in
            func value() -> String {
                computed.fire()
                return "x"
            }
            request.log(.warning, "order placed \(value())", ["value": value()])
            request.log(.error, "order placed", [:])
            return .json(1)
        }
        #expect(own.count == 1)
        #expect(computed.count == 0)
    }

    @Test("A line from a task of its own has the ids, too")
    func ownTask() throws {
        let (_, own) = try lines { request in
            await Task.detached { request.log(.info, "order placed") }.value
            return .json(1)
        }
        let line = try JSONFragment(validating: Array(try #require(own.first).utf8)[...])
        #expect(line[member: "requestId"]?.stringValue == "r1")
        #expect(line[member: "traceId"]?.stringValue == Self.trace)
    }
}
