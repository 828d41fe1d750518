import Glibc
import Testing

@testable import GatewayHTTP

@Suite("Standard streams")
struct StandardStreamsTests {
    @Test("If a process starts without standard streams, no socket or file gets their numbers")
    func closed() async {
        await #expect(processExitsWith: .exitCode(7)) {
            for descriptor in STDIN_FILENO...STDERR_FILENO { close(descriptor) }
            StandardStreams.reserve()
            exit(open("/", O_RDONLY) > STDERR_FILENO ? 7 : 1)
        }
    }

    @Test("A full standard output does not block the announcement of the server's address")
    func full() async {
        await #expect(processExitsWith: .exitCode(7)) {
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            let bytes = [UInt8](repeating: 0, count: 4096)
            while write(ends[1], bytes, bytes.count) > 0 {}
            _ = fcntl(ends[1], F_SETFL, 0)
            dup2(ends[1], STDOUT_FILENO)
            Announcement.write(url: "http://127.0.0.1:8080")
            exit(7)
        }
    }

    @Test("Streams that are open stay unchanged")
    func stayOpen() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // In one step, because another thread may open a file.
            dup2(open("/", O_RDONLY), STDOUT_FILENO)
            StandardStreams.reserve()
            var info = stat()
            fstat(STDOUT_FILENO, &info)
            exit(info.st_mode & S_IFMT == S_IFDIR ? 7 : 1)
        }
    }
}
