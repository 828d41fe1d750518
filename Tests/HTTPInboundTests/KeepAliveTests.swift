import HTTPModel
import Testing

@testable import HTTPInbound

@Suite(.timeLimit(.minutes(1)))
struct KeepAliveTests {
    static let get = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test("Requests of one connection are answered one after the other")
    func keepAlive() async throws {
        try await TestServer.run { server in
            let client = try server.client()
            for _ in 0..<3 {
                client.send(Self.get)
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.text == "hello")
                #expect(reply.value("Connection") == nil)
                #expect(reply.value("Content-Length") == "5")
                #expect(reply.value("Date")?.hasSuffix(" GMT") == true)
            }
        }
    }
}
