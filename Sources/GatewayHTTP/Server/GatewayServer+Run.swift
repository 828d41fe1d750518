import FoundationEssentials
public import GatewayConfig
public import GatewayCore
import Glibc
import Locking

extension GatewayServer {
    /// Serves until SIGTERM or SIGINT, then drains. Called by the `main` of a gateway.
    ///
    /// The first line on standard output is `sluice listening on http://HOST:PORT`, or `https`, once the
    /// hooks of `Gateway.onStart` have ended; the access log follows it. Lines that the program itself writes
    /// to standard output from then on, as `print` does, and in hooks, are logged on standard error instead,
    /// with the message `printed`. A second signal ends the process at once. SIGHUP reloads the certificates.
    /// SIGUSR1 and SIGUSR2 are ignored unless the program handles them.
    ///
    /// Call it on the main thread, in a synchronous `main`: it serves the main queue while it waits, so that
    /// `MainScheduler` and code of the main actor run in handlers and hooks.
    ///
    /// - Returns: the exit code: 0 after a drain, 1 if the gateway could not start, with the reason on
    ///   standard error.
    public static func run(
        _ configuration: GatewayServerConfiguration = GatewayServerConfiguration(),
        declare: (Gateway) throws -> Void
    ) -> Int32 {
        do throws(UsageError) {
            return try run(configuration, of: "sluice", declare: declare)
        } catch {
            Announcement.complain(error.message)
            return error.isAboutFile ? 1 : 2
        }
    }

    /// - Parameters:
    ///   - program: the program's name, for complaints.
    ///   - note: returns what follows the gateway's address on standard output.
    /// - Throws: what `declare` says about the command line.
    package static func run(
        _ configuration: GatewayServerConfiguration, of program: String,
        note: ((GatewayServer) -> String)? = nil,
        declare: (Gateway) throws -> Void
    ) throws(UsageError) -> Int32 {
        try run(of: program, note: note) { try GatewayServer(configuration, declare: declare) }
    }

    /// Tells the service manager that started the process how the gateway is, if one did.
    ///
    /// - Parameter make: returns the gateway, which does not accept yet.
    static func run(
        of program: String, note: ((GatewayServer) -> String)? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        _ make: () throws -> GatewayServer
    ) throws(UsageError) -> Int32 {
        StandardStreams.reserve()
        Signals.prepare()
        do {
            let server = try make()
            let manager = ServiceManager(environment)
            server.tell(manager)
            let watchdog = try manager.flatMap { try Watchdog($0, server.workers.map(\.loop)) }
            // Before the hooks and the announcement, so that a signal ends the start, or drains.
            try Signals.watch(on: server.firstLoop, onHangUp: server.hangUp) { server.drain() }
            server.takePrintedLines()
            try server.begin()
            // A signal may have come meanwhile.
            if server.phase.isServing {
                Announcement.write(url: server.url, on: server.standardOutput)
                if let pin = server.current.withLock({ $0.configuration.throwAwayPin }) {
                    Announcement.complain(
                        line: "self-signed: curl -k --pinnedpubkey \(pin) \(server.url)")
                }
                if let note { Announcement.print(note(server) + "\n", on: server.standardOutput) }
            }
            server.accept()
            server.waitUntilStopped()
            watchdog?.end()
            return 0
        } catch let error as UsageError {
            throw error
        } catch let error as GatewayFileError {
            for problem in error.problems { Announcement.show(problem) }
            return 1
        } catch {
            Announcement.complain("\(error)", by: program)
            return 1
        }
    }
}

/// Writes to the standard streams for the person or program that started a command.
package enum Announcement {
    /// Writes the first line on standard output: `sluice listening on http://HOST:PORT`, or `https`.
    package static func write(url: String, on output: Int32 = STDOUT_FILENO) {
        put("sluice listening on \(url)\n", on: output)
    }

    /// Writes a line on standard error, prefixed with the program's name.
    package static func complain(_ message: String, by program: String = "sluice") {
        put("\(program): \(message)\n", on: STDERR_FILENO)
    }

    /// Writes a line on standard error as it is.
    package static func complain(line: String) {
        put(line + "\n", on: STDERR_FILENO)
    }

    package static func print(_ text: String, on output: Int32 = STDOUT_FILENO) {
        put(text, on: output)
    }

    /// Gives up after a second without a reader: a server that cannot announce itself still serves.
    private static func put(_ text: String, on descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&room, 1, 1000) != 0 else { return }
            // A writable pipe takes PIPE_BUF bytes without blocking (POSIX); on Linux that is 4096.
            let count = rest.prefix(4096).withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno != EINTR { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}
