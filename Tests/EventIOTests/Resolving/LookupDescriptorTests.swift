import Glibc
import TestSupport
import Testing

@testable import EventIO

@Suite("Lookups without descriptors", .timeLimit(.minutes(1)))
struct LookupDescriptorTests {
    @Test("A lookup that would take one of the last descriptors says so, and does not blame the name servers")
    func lastDescriptors() async {
        // Runs in its own process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            var settings = DNSSettings()
            settings.servers = ["127.0.0.1:1"]
            let resolver = try Resolver(settings)
            let group = try EventLoopGroup(count: 1)
            // Starts the resolver's thread.
            _ = try await Self.resolve("localhost", by: resolver, on: group.loops[0])
            var opened: [Int32] = []
            while (opened.last ?? 0) < 60 { opened.append(open("/dev/null", O_RDONLY)) }
            let limit = DescriptorLimit(64)
            let answer = try await Self.resolve("api.test", by: resolver, on: group.loops[0])
            guard case .failure(let error) = answer else { preconditionFailure("\(answer)") }
            precondition(error.isOutOfDescriptors, "\(error)")
            limit.restore()
        }
    }

    private static func resolve(
        _ host: String, by resolver: Resolver, on loop: EventLoop
    ) async throws -> Result<[SocketAddress], SocketError> {
        try await withDeadline("no answer for \(host)") { continuation in
            loop.execute {
                resolver.resolve(host, port: 80, on: loop, deadline: loop.now + .seconds(30)) {
                    if case .complete(let answer) = $0 { continuation.resume(returning: answer) }
                }
            }
        }
    }
}
