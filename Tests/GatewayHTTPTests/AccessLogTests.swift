import GatewayCore
import Glibc
import JSONBytes
import Rx
import TestSupport
import Testing

@testable import GatewayHTTP

/// Checks the log lines of requests that no endpoint answers.
@Suite("Access log")
struct AccessLogTests {
    /// Serves while `body` runs, and returns the lines of the access log.
    private func lines(
        _ declare: (Gateway) throws -> Void = { _ in }, _ body: (Int) throws -> Void
    ) throws -> [JSONFragment] {
        try withLoggedGateway(
            configure: { configuration in
                configuration.inbound.bodyDeadline = .milliseconds(500)
                configuration.inbound.headerDeadline = .milliseconds(500)
            }, declare: declare
        ) { try body($0.port) }
    }

    @Test(
        "A client that leaves is logged as 499 with the request's id and route and the outcome of each part"
    )
    func aClientThatLeftIsTold() throws {
        let held = PublishSubject<JSONFragment>()
        let request = "GET /page/7?key=secret HTTP/1.1\r\nHost: test\r\nX-Request-Id: mine-1\r\n\r\n"
        let lines = try lines { gateway in
            gateway.get("/page/{id}") { _ in
                .parts(first: Single.just(1), second: held.take(1).asSingle())
            }
        } _: { port in
            do {
                let client = try RawClient(port: port)
                client.send(request)
                try spin(while: !held.hasObservers) { "the handler has not subscribed" }
            }
            try spin(while: held.hasObservers) { "the handler is still subscribed" }
        }
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line[member: "requestId"]?.stringValue == "mine-1")
        #expect(line[member: "method"]?.stringValue == "GET")
        #expect(line[member: "path"]?.stringValue == "/page/7")
        #expect(line[member: "status"]?.intValue == 499)
        #expect(line[member: "end"]?.stringValue == "client_gone")
        #expect(line[member: "code"]?.stringValue == "CANCELLED")
        #expect(line[member: "route"]?.stringValue == "/page/{id}")
        #expect(line[member: "bytesIn"]?.intValue == request.utf8.count)
        #expect(line[member: "bytesOut"]?.intValue == 0)
        let parts = try #require(line[member: "parts"])
        #expect(parts[member: "first"]?[member: "kind"]?.stringValue == "success")
        #expect(parts[member: "second"]?[member: "kind"]?.stringValue == "cancelled")
        let elapsed = try #require(parts[member: "second"]?[member: "elapsedMs"]?.doubleValue)
        #expect(elapsed > 0)
        #expect(try #require(line[member: "elapsedMs"]?.doubleValue) >= elapsed)
    }

    @Test(
        "A refused request is logged with its method, its path, the bytes received and the answer's id"
    )
    func refusalsAreTold() throws {
        let requests = [
            "GET /page HTTP/1.1\r\nHost: test\r\nBroken field: x\r\n\r\n",
            "CONNECT test:80 HTTP/1.1\r\nHost: test\r\n\r\n",
            "\u{16}\u{3}\u{1}\r\n\r\n",
            "GET /page?a=b HTTP/1.1\r\nHost: test\r\nExpect: x\r\n\r\n",
        ]
        var ids: [String?] = []
        let lines = try lines { port in
            for request in requests {
                let client = try RawClient(port: port)
                client.send(request)
                ids.append(client.receive()?.value("X-Request-Id"))
                _ = client.reachesEnd()
            }
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [400, 405, 400, 417])
        #expect(lines.map { $0[member: "method"]?.stringValue } == ["GET", "CONNECT", nil, "GET"])
        #expect(lines.map { $0[member: "path"]?.stringValue } == [nil, nil, nil, "/page"])
        #expect(lines.map { $0[member: "bytesIn"]?.intValue } == requests.map(\.utf8.count))
        #expect(!ids.contains(nil))
        #expect(lines.map { $0[member: "requestId"]?.stringValue } == ids)
    }

    @Test("A client that leaves while it sends its body is logged as 499 with the bytes received")
    func aClientThatLeavesWithinItsBodyIsTold() throws {
        let request = "POST /page HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nabc"
        let lines = try lines {
            $0.post("/page") { _ in .json(1) }
        } _: { port in
            let client = try RawClient(port: port)
            client.send(request)
            client.shutdownWrite()
            #expect(client.reachesEnd())
        }
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line[member: "status"]?.intValue == 499)
        #expect(line[member: "method"]?.stringValue == "POST")
        #expect(line[member: "path"]?.stringValue == "/page")
        #expect(line[member: "bytesIn"]?.intValue == request.utf8.count)
        #expect(line[member: "bytesOut"]?.intValue == 0)
    }

    @Test("An incomplete request head is answered and logged as 408")
    func aLateHeadIsTold() throws {
        let lines = try lines { port in
            let client = try RawClient(port: port)
            client.send("GET /page HTTP/1.1\r\nHost: te")
            let answer = try #require(client.receive())
            #expect(answer.status == 408)
            #expect(answer.value("Connection") == "close")
            #expect(answer.text.contains(#""code":"REQUEST_TIMEOUT""#), "\(answer.text)")
            #expect(client.reachesEnd())
        }
        #expect(lines.map { $0[member: "status"]?.intValue } == [408])
        #expect(lines.map { $0[member: "method"]?.stringValue } == ["GET"])
    }

    @Test("OPTIONS * is logged with the path *")
    func asterisk() throws {
        let lines = try lines { _ in
        } _: { port in
            let client = try RawClient(port: port)
            client.send("OPTIONS * HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(client.receive()?.status == 204)
        }
        #expect(lines.map { $0[member: "path"]?.stringValue } == ["*"])
    }

    @Test(
        "An incomplete body is logged as 408 with method, path, bytes received and the time waited"
    )
    func aLateBodyIsTold() throws {
        let request = "POST /page HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nabc"
        let lines = try lines {
            $0.post("/page") { _ in .json(1) }
        } _: { port in
            let client = try RawClient(port: port)
            client.send(request)
            #expect(client.receive()?.status == 408)
            _ = client.reachesEnd()
        }
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line[member: "status"]?.intValue == 408)
        #expect(line[member: "method"]?.stringValue == "POST")
        #expect(line[member: "path"]?.stringValue == "/page")
        #expect(line[member: "bytesIn"]?.intValue == request.utf8.count)
        #expect(try #require(line[member: "elapsedMs"]?.doubleValue) >= 500)
        #expect(line[member: "requestId"]?.stringValue?.isEmpty == false)
    }
}
