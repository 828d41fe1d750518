import EventIO
import Glibc
import TestSupport
import Testing

@Suite("Signals", .timeLimit(.minutes(1)), .serialized)
struct SignalTests {
    @Test("A signal that already has a source or cannot be handled is rejected")
    func badSignals() async throws {
        try await withLoop { loop in
            try await loop.perform {
                let first = try SignalSource(SIGUSR2, loop: loop) {}
                let busy = #expect(throws: SocketError.self) { try SignalSource(SIGUSR2, loop: loop) {} }
                #expect(busy?.code == EBUSY)
                first.cancel()
                try SignalSource(SIGUSR2, loop: loop) {}.cancel()
                let kill = #expect(throws: SocketError.self) { try SignalSource(SIGKILL, loop: loop) {} }
                #expect(kill?.code == EINVAL)
                #expect(throws: SocketError.self) { try SignalSource(0, loop: loop) {} }
                #expect(throws: SocketError.self) { try SignalSource(400, loop: loop) {} }
            }
        }
    }

    @Test("Each signal is delivered once, on the loop of its source")
    func signalsAreEvents() async throws {
        for _ in 0..<2 {
            try await withLoop { loop in
                let deliveries = Inbox<Bool>()
                try await loop.perform {
                    _ = try SignalSource(SIGUSR1, loop: loop) { deliveries.put(loop.isCurrent) }
                }
                for _ in 0..<3 {
                    kill(getpid(), SIGUSR1)
                    #expect(try await deliveries.next())
                }
            }
        }
    }

    @Test("Cancelling a source restores the signal's previous disposition")
    func cancelRestores() async {
        await #expect(processExitsWith: .signal(SIGUSR1)) {
            try await withLoop { loop in
                try await loop.perform { try SignalSource(SIGUSR1, loop: loop) {}.cancel() }
                kill(getpid(), SIGUSR1)
                await pass(.seconds(5))
            }
        }
    }
}
