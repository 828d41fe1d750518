import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Gateways of tests", .timeLimit(.minutes(1)))
struct FileGatewayTests {
    @Test("A gateway that its test forgets to stop ends with the test", arguments: [false, true])
    func forgotten(isToldToStop: Bool) throws {
        func forget() throws -> Int {
            let gateway = try FileGateway("version: 1\n")
            let port = gateway.server.port
            #expect(try gateway.get("/health/live").status == 200)
            // Without waiting.
            if isToldToStop { gateway.server.stop() }
            return port
        }
        let port = try forget()
        #expect(throws: (any Error).self) { try RawClient(port: port) }
    }
}
