import Foundation
import Glibc
import Locking

/// A program that acts as a peer. It runs until `stop`, or until this process ends for any reason.
///
/// A shell starts it, waits until its own standard input ends, and then ends the program by its process ID.
/// It asks again every second, because nginx ignores a SIGTERM that arrives while it starts, and kills the
/// program after ten seconds.
package final class PeerProcess: Sendable {
    private struct State {
        var guardian: pid_t
        /// The standard input of the guarding shell.
        var lifeline: Int32
    }

    private let state: Lock<State>
    /// The program's ID, not the guarding shell's.
    package let processID: Int32
    private let logPath: String

    /// Its standard output and error so far.
    package var log: String {
        // Waiting tests read this often, and Foundation leaks a page for each empty read.
        let descriptor = open(logPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(descriptor, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameters:
    ///   - program: its path.
    ///   - listener: a listening socket that it inherits as descriptor 3, so that clients can connect before
    ///     it runs. The caller still has to close its own copy.
    ///   - folder: its working directory, where its output is kept.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], listener: Int32? = nil,
        in folder: ScratchFolder
    ) throws {
        logPath = folder.file("\(URL(fileURLWithPath: program).lastPathComponent).log")
        let script = """
            cd "$1" && log=$2 && shift 2
            "$@" </dev/null >"$log" 2>&1 &
            program=$!
            echo $program
            exec 3<&- >/dev/null
            read -r line
            kill -TERM $program
            {
                for seconds in 1 1 1 2 5; do
                    sleep $seconds
                    kill -TERM $program || exit
                done
                kill -KILL $program
            } 2>/dev/null &
            wait $program
            kill $!
            """
        let (lifelineEnd, lifeline) = try Self.makePipe()
        let (told, toldEnd) = try Self.makePipe()
        defer { for end in [lifelineEnd, told, toldEnd] { Glibc.close(end) } }
        var descriptors = [(lifelineEnd, Int32(0)), (toldEnd, 1)]
        if let listener { descriptors.append((listener, 3)) }
        let guardian = try Self.spawn(
            ["/bin/sh", "-c", script, "sh", folder.path, logPath, program] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, descriptors)
        state = Lock(State(guardian: guardian, lifeline: lifeline))
        var text = [UInt8](repeating: 0, count: 32)
        let count = max(0, read(told, &text, text.count))
        let line = String(decoding: text[..<count], as: UTF8.self).trimmingCharacters(
            in: .whitespacesAndNewlines)
        guard let processID = pid_t(line) else {
            throw PeerFailure(description: "\(program) was not started: \(line)")
        }
        self.processID = processID
    }

    deinit { stop() }

    /// Ends the program and waits for its end. Does nothing if it was stopped before.
    package func stop() {
        let (guardian, lifeline) = state.withLock { state in
            defer { (state.guardian, state.lifeline) = (0, -1) }
            return (state.guardian, state.lifeline)
        }
        guard guardian > 0 else { return }
        Glibc.close(lifeline)
        var status: Int32 = 0
        while waitpid(guardian, &status, 0) < 0, errno == EINTR {}
    }

    /// Returns the path of the first of these programs that is installed.
    package static func find(_ names: String...) -> String? {
        let folders =
            ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin"]
            + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for name in names {
            for folder in folders where access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
        }
        return nil
    }

    private static func makePipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        // Closed on exec from the start, so that programs started by other threads do not keep an end open.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw PeerFailure(description: "socketpair: errno \(errno)")
        }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ words: [String], environment: [String: String], _ descriptors: [(Int32, Int32)]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Copy to numbers above all of them first, so that no descriptor is overwritten before it is copied.
        let high = (descriptors.map(\.0).max() ?? 0) + 10
        for (index, (from, _)) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, from, high + Int32(index))
        }
        for (index, (_, number)) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, high + Int32(index), number)
            posix_spawn_file_actions_addclose(&actions, high + Int32(index))
        }
        // The program does not inherit the test's signal handling.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, words[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw PeerFailure(description: "\(words[0]): errno \(code)") }
        return process
    }
}

package struct PeerFailure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
