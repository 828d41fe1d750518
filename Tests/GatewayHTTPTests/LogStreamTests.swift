import Foundation
import GatewayConfig
import GatewayCore
import Glibc
import TestSupport
import Testing

@testable import GatewayHTTP

/// A pseudoterminal, whose other end a test reads.
private struct Terminal {
    private let other: Int32
    let descriptor: Int32

    init() throws {
        other = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // ioctl_tty(2): TIOCSPTLCK unlocks the terminal, and TIOCGPTPEER opens it.
        var unlocked: Int32 = 0
        let isUnlocked = ioctl(other, 0x4004_5431, &unlocked) == 0
        descriptor = ioctl(other, 0x5441, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(isUnlocked && isatty(descriptor) == 1, "errno \(errno)")
    }

    /// Closes the terminal, and returns what was written to it.
    func end() -> String {
        close(descriptor)
        defer { close(other) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        // Linux reports EIO once the terminal is closed.
        while case let count = read(other, &chunk, chunk.count), count > 0 { text += chunk[..<count] }
        return String(decoding: text, as: UTF8.self)
    }
}

@Suite("The format of each stream of the log", .timeLimit(.minutes(1)))
struct LogStreamTests {
    @Test(
        "With auto each stream has text on a terminal and JSON in a pipe, whatever the other one is",
        arguments: [true, false])
    func streams(accessOnTerminal: Bool) throws {
        let (terminal, pipe) = (try Terminal(), RawPipe())
        defer { close(pipe.reader) }
        var configuration = try adminConfiguration {
            $0.accessLog = .on
            $0.logLevel = .info
        }
        configuration.logFormat = .auto
        let (access, errors) =
            accessOnTerminal ? (terminal.descriptor, pipe.writer) : (pipe.writer, terminal.descriptor)
        let server = try GatewayServer(
            configuration, logs: Logs(configuration, output: access, errors: errors)
        ) { $0.get("/quick") { _ in .json(1) } }
        server.accept()
        let status = try RawClient(port: server.port).get("/quick")?.status
        server.stop()
        server.waitUntilStopped()
        close(pipe.writer)
        let (shown, piped) = (terminal.end(), pipe.readAll())
        #expect(status == 200)
        let (line, message) = (shown.contains(" GET /quick "), shown.contains("admin listening"))
        #expect((line, message) == (accessOnTerminal, !accessOnTerminal), "\(shown)")
        #expect(!shown.contains("{"))
        #expect(piped.hasPrefix(#"{"time":"#) && piped.hasSuffix("}\n"), "\(piped)")
        #expect(piped.contains(#""path":"/quick""#) == !accessOnTerminal)
        #expect(piped.contains(#""message":"admin listening""#) == accessOnTerminal)
    }

    @Test("Text on a terminal has colours unless NO_COLOR has a value")
    func noColor() async {
        await #expect(processExitsWith: .success) {
            let terminal = try Terminal()
            for (value, style) in [("1", LogStyle.text), ("", .coloredText), (nil, .coloredText)] {
                if let value { setenv("NO_COLOR", value, 1) } else { unsetenv("NO_COLOR") }
                #expect(LogStyle(.auto, of: terminal.descriptor) == style, "NO_COLOR=\(value ?? "(absent)")")
                #expect(LogStyle(.text, of: terminal.descriptor) == style)
            }
        }
    }
}
