import Glibc
import TestSupport
import Testing

@testable import EventIO

@Suite("Reserved descriptors", .timeLimit(.minutes(1)))
struct ReserveTests {
    @Test("A listener with a reserve accepts when all other descriptors are used up")
    func usedUp() async {
        // Runs in its own process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            try await ReserveTests.useUp()
        }
    }

    private static func useUp() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.loops[0]
        let reserve = DescriptorReserve(4)
        let reserved = try Listener(bind: .loopback(), reserve: reserve, permissions: 0o660)
        let others = try Listener(bind: .loopback())
        // 60 peers keep the limit above 64. Below 64, fewer than `Descriptor.spare` descriptors are kept.
        var peers: [RawSocket] = []
        for _ in 0..<60 { peers.append(try RawSocket(connectedTo: others.address)) }
        let asking = [
            try RawSocket(connectedTo: reserved.address), try RawSocket(connectedTo: reserved.address),
        ]
        // Dispatch opens descriptors of its own for its first timer.
        await pass(.milliseconds(1))
        let limit = DescriptorLimit(leaving: 2, and: Int(Descriptor.spare) + 4)
        try await loop.perform {
            others.start(loop: loop) { stream in stream.start(handler: Echo(stream)) }
        }
        peers[0].send(utf8("in"))
        let served = try peers[0].receive(exactly: 2)
        precondition(served == utf8("in"), "an accepted connection must be served")
        // The third found no descriptor.
        let end = try peers[2].receive()
        precondition(end.isEmpty, "the shed connection must end")
        try await loop.perform {
            reserved.start(loop: loop) { stream in stream.start(handler: Echo(stream)) }
        }
        for peer in asking {
            peer.send(utf8("ask"))
            let echo = try peer.receive(exactly: 3)
            precondition(echo == utf8("ask"), "the reserve must serve")
        }
        limit.restore()
        await shutDown(group)
    }

    @Test("A reserve is given back, and is at most an eighth of the descriptors")
    func heldAndGivenBack() {
        let before = DescriptorReserve.held
        do {
            let reserve = DescriptorReserve(64)
            withExtendedLifetime(reserve) { #expect(DescriptorReserve.held >= 64) }
        }
        #expect(DescriptorReserve.held == before)
        #expect(DescriptorReserve.kept(64, of: 1024) == 64)
        #expect(DescriptorReserve.kept(64, of: 256) == 32)
    }
}
