import Glibc
import TestSupport
import Testing

@Suite("Programs that act as peers", .timeLimit(.minutes(1)))
struct PeerProcessTests {
    @Test("A program that ignores its first SIGTERM ends at the second")
    func ignoredSignal() async throws {
        let folder = ScratchFolder()
        let script = "trap 'trap - TERM' TERM; echo ready; while :; do sleep 0.05; done"
        let peer = try PeerProcess("/bin/sh", ["-c", script], in: folder)
        try await poll(while: !peer.log.contains("ready")) { "log: \(peer.log)" }
        peer.stop()
        #expect(kill(peer.processID, 0) == -1 && errno == ESRCH)
    }
}
