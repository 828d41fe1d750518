import Networking
import NetworkingSession
import TestSupport
import Testing

@Suite("Messages of failed calls over a session", .timeLimit(.minutes(1)))
struct FailureMessageTests {
    private func message(
        after sent: String, _ change: (inout AttemptLimits) -> Void = { _ in }
    ) async throws -> String? {
        let upstream = try ScriptedUpstream([.readRequest, .send(sent), .awaitEnd])
        defer { upstream.stop() }
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        configuration.policy = .patient
        configuration.policy.attemptLimits.firstByte = .milliseconds(80)
        change(&configuration.policy.attemptLimits)
        let session = try Session(configuration)
        defer { session.close() }
        let request = HTTPRequest(url: "http://127.0.0.1:\(upstream.port)/")
        let error = await #expect(throws: NetworkError.self) { try await session.request(request) }
        #expect(error?.reason == .connectionReadTimeout)
        return error?.message
    }

    @Test("Silence before a response and silence within one have different messages")
    func silence() async throws {
        #expect(try await message(after: "") == "no response within 80 ms")
        #expect(
            try await message(after: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")
                == "nothing more of the response for 80 ms")
    }

    @Test("Silence within a response may have a limit of its own")
    func between() async throws {
        let begun = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"
        let within = try await message(after: begun) {
            $0.firstByte = .seconds(60)
            $0.between = .milliseconds(70)
        }
        #expect(within == "nothing more of the response for 70 ms")
        #expect(try await message(after: "") { $0.between = .seconds(60) } == "no response within 80 ms")
    }

    @Test("A call that gets no file descriptor says so")
    func descriptors() async {
        // Runs in its own process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            let session = try Session.patient()
            let limit = DescriptorLimit(3)
            defer { limit.restore() }
            do {
                let request = HTTPRequest(url: "http://127.0.0.1:1/").setTimeout(.milliseconds(200))
                _ = try await session.request(request)
                preconditionFailure("there is a response")
            } catch let error as NetworkError {
                precondition(error.reason == .connectionLimitReached, "\(error)")
                precondition(error.message == "the process has no file descriptors left", "\(error)")
            }
        }
    }
}
