import Foundation
import GatewayHTTP
import TestSupport
import Testing

@Suite("Signals of a server", .serialized)
struct SignalTests {
    private let scratch = ScratchFolder()

    private var servers: [[String]] {
        let data = scratch.file("diary.sqlite3")
        return [
            ["serve", "--port", "0", "--drain-delay", "0"],
            ["demo", "--port", "0", "--drain-delay", "0", "--data", data],
            ["upstream", "--port", "0", "--data", data],
        ]
    }

    private func hangUps(_ output: SluiceProcess.Output) -> Int {
        let line = #""level":"info","message":"SIGHUP: certificates reloaded""#
        return output.errors.split(separator: "\n").count { $0.contains(line) }
    }

    @Test("SIGHUP, SIGUSR1 and SIGUSR2 do not end a server that is still starting")
    func beforeTheLoops() async {
        await #expect(processExitsWith: .exitCode(7)) {
            Signals.prepare()
            for signal in [SIGHUP, SIGUSR1, SIGUSR2] { kill(getpid(), signal) }
            exit(7)
        }
    }

    @Test("SIGHUP, SIGUSR1 and SIGUSR2 do not end a server, and each SIGHUP is logged once")
    func ignored() throws {
        for arguments in servers {
            let server = try SluiceProcess(arguments)
            let url = "http://127.0.0.1:\(try server.readPort())/health/ready"
            for signal in [SIGUSR1, SIGHUP, SIGUSR2, SIGHUP] {
                server.signal(signal)
                // An answer shows that the loop has handled the signal.
                #expect(try curl(url).status / 100 == 2)
            }
            server.signal(SIGTERM)
            let output = server.finish()
            #expect(output.exitCode == 0, "\(arguments[0])")
            #expect(hangUps(output) == 2, "\(arguments[0]): \(output.errors)")
        }
    }

    @Test("A SIGHUP that finds a pipe in place of a certificate is logged, and SIGTERM still ends the server")
    func pipeForCertificate() throws {
        let file = scratch.file("ca.pem")
        try TestAuthority.shared.pem.write(toFile: file, atomically: true, encoding: .utf8)
        let arguments = [
            "serve", "--port", "0", "--drain-delay", "0", "--upstream", "users=https://127.0.0.1:1/u",
            "--upstream-ca", "users=\(file)",
        ]
        let complaint = "TLS of upstream users: trusted certificates \(file): not a regular file"
        let server = try SluiceProcess(arguments)
        _ = try server.readPort()
        try FileManager.default.removeItem(atPath: file)
        #expect(mkfifo(file, 0o600) == 0)
        server.signal(SIGHUP)
        server.signal(SIGTERM)
        let output = server.finish()
        #expect(output.exitCode == 0)
        #expect(output.errors.contains(complaint), "\(output.errors)")
        let refused = try SluiceProcess(arguments).finish()
        #expect(refused.exitCode == 1)
        #expect(refused.errors == "sluice: \(complaint)\n")
    }

    @Test("A SIGHUP pending at the start is logged once the loops run")
    func waiting() throws {
        // A blocked pending signal survives exec (POSIX), so it is pending from the start.
        let script = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
            os.kill(os.getpid(), signal.SIGHUP)
            os.execv(sys.argv[1], sys.argv[1:])
            """
        for arguments in servers {
            let server = try SluiceProcess(arguments, starter: ["/usr/bin/python3", "-c", script])
            let port = try server.readPort()
            #expect(try curl("http://127.0.0.1:\(port)/health/ready").status / 100 == 2)
            server.signal(SIGTERM)
            let output = server.finish()
            #expect(output.exitCode == 0, "\(arguments[0])")
            #expect(hangUps(output) == 1, "\(arguments[0]): \(output.errors)")
        }
    }
}
