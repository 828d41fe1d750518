import Glibc
import Testing

@testable import GatewayServer

@Suite("Standard streams")
struct StandardStreamsTests {
    @Test("A process that is started without them gives their numbers to no socket and no file")
    func closed() async {
        await #expect(processExitsWith: .exitCode(7)) {
            for descriptor in STDIN_FILENO...STDERR_FILENO { close(descriptor) }
            StandardStreams.reserve()
            exit(open("/", O_RDONLY) > STDERR_FILENO ? 7 : 1)
        }
    }

    @Test("Streams that are open stay as they are")
    func stayOpen() async {
        await #expect(processExitsWith: .exitCode(7)) {
            close(STDOUT_FILENO)
            let file = open("/", O_RDONLY)
            StandardStreams.reserve()
            var info = stat()
            fstat(file, &info)
            exit(file == STDOUT_FILENO && info.st_mode & S_IFMT == S_IFDIR ? 7 : 1)
        }
    }
}
