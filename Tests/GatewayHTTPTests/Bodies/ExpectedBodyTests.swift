import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Clients that wait for 100 before they send a body", .timeLimit(.minutes(1)))
struct ExpectedBodyTests {
    private static let file = """
        version: 1
        endpoints:
        - post: /orders
          query: {count: {type: integer, required: true}}
          body: {type: object, properties: {name: {type: string}}}
          data: {value: "{body.name}"}
        """

    private static let refused: [String: (target: String, fields: String, status: Int)] = [
        "another media type": ("/orders?count=1", "Content-Type: text/plain", 415),
        "no media type": ("/orders?count=1", "X: y", 415),
        "another charset": ("/orders?count=1", "Content-Type: application/json; charset=latin1", 415),
        "an unknown coding": (
            "/orders?count=1", "Content-Type: application/json\r\nContent-Encoding: zstd", 415
        ),
        "a range": (
            "/orders?count=1", "Content-Type: application/json\r\nContent-Range: bytes 0-1/5", 400
        ),
        "a missing parameter": ("/orders", "Content-Type: application/json", 400),
    ]

    @Test("A request that its head refuses gets the refusal and no 100", arguments: refused.keys)
    func refusal(name: String) throws {
        let (target, fields, status) = try #require(Self.refused[name])
        let gateway = try FileGateway(Self.file)
        let client = try RawClient(port: gateway.server.port)
        client.send(
            "POST \(target) HTTP/1.1\r\nHost: test\r\n\(fields)\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n"
        )
        let reply = try client.reply()
        #expect(reply.status == status, "\(reply)")
        #expect(reply.value("Content-Type")?.hasPrefix("application/json") == true)
        #expect(reply.value("Connection") == "close")
        if name == "an unknown coding" { #expect(reply.value("Accept-Encoding") == "gzip, deflate, br") }
        #expect(client.reachesEnd())
        // Without the expectation, the answer has the same status.
        let other = try RawClient(port: gateway.server.port)
        other.send(
            "POST \(target) HTTP/1.1\r\nHost: test\r\n\(fields)\r\nContent-Length: 12\r\n\r\n{\"name\":\"a\"}"
        )
        #expect(try other.reply().status == status)
    }

    @Test("A request that only its body can refuse gets its 100")
    func body() throws {
        let gateway = try FileGateway(Self.file)
        for (body, status) in [("{\"name\":\"a\"}", 200), ("{\"name\":null}", 400)] {
            let client = try RawClient(port: gateway.server.port)
            client.send(
                "POST /orders?count=1 HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send(body)
            #expect(try client.reply().status == status)
        }
    }
}
