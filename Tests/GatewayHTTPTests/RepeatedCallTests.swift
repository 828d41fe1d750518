import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Whether a POST may be repeated", .timeLimit(.minutes(1)))
struct RepeatedCallTests {
    @Test("After the deadline, a POST may be repeated only if it was waiting for a connection")
    func deadline() throws {
        let silent = try ScriptedUpstream([.readRequest, .awaitEnd])
        defer { silent.stop() }
        let gateway = try FileGateway(
            """
            version: 1
            upstreams:
              notes: {url: "http://127.0.0.1:\(silent.port)", limits: {connections: 1}, breaker: off}
            endpoints:
            - post: /short
              deadline: 100ms
              parts:
                note: {upstream: notes, post: /notes}
            """)
        defer { gateway.stop() }
        func ask(_ client: RawClient, _ path: String) {
            client.send("POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")
        }
        func retryable(_ client: RawClient) throws -> Bool? {
            let reply = try client.reply()
            #expect(reply.text.contains(#""reason":"deadline_exceeded""#), "\(reply.text)")
            let errors = try JSONFragment(validating: Array(reply.text.utf8)[...])[member: "errors"]
            return errors?.elements.first?[member: "retryable"]?.boolValue
        }
        let first = try RawClient(port: gateway.server.port)
        ask(first, "/short")
        #expect(try retryable(first) == false)
        // The first one was sent, so it goes on and keeps the only connection.
        ask(first, "/short")
        #expect(try retryable(first) == true)
        #expect(silent.requests.count == 1)
    }

    @Test("A POST whose connection was refused may be repeated, and names no obstacle")
    func refused() throws {
        let refusing = try ScriptedUpstream(.closed, [])
        defer { refusing.stop() }
        let gateway = try FileGateway(
            """
            version: 1
            upstreams:
              notes: {url: "http://127.0.0.1:\(refusing.port)", breaker: off}
            endpoints:
            - post: /notes
              parts:
                note: {upstream: notes, post: /notes}
            """)
        defer { gateway.stop() }
        let client = try RawClient(port: gateway.server.port)
        client.send("POST /notes HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")
        let reply = try client.reply()
        #expect(reply.text.contains(#""reason":"connection_refused""#), "\(reply.text)")
        #expect(reply.text.contains(#""attempts":1,"elapsedMs":"#), "\(reply.text)")
        #expect(reply.text.contains(#""retryable":true"#), "\(reply.text)")
    }
}
