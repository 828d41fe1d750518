import Foundation
import TestSupport
import Testing

/// A process that runs the built `sluice`.
final class SluiceProcess {
    struct Output {
        let exitCode: Int32
        let output: String
        let errors: String
    }

    private let process = Process()
    private let outputPipe = Pipe()
    private let errorPipe = Pipe()
    private var outputIsClosed = false
    /// What has been read of standard error.
    private var readErrors: [UInt8] = []
    /// Starts the program without the `SLUICE_` variables of the test's environment, and without an admin
    /// listener.
    ///
    /// - Parameters:
    ///   - descriptors: The soft limit of file descriptors; nil for the test's own.
    ///   - starter: A program and its arguments, which executes the command line appended to them.
    init(
        _ arguments: [String], environment: [String: String] = [:], descriptors: Int? = nil,
        starter: [String] = []
    ) throws {
        // The test bundle and `sluice` are in the same build folder.
        let program = Bundle.main.bundleURL.appendingPathComponent("sluice")
        if let descriptors {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "ulimit -S -n \(descriptors); exec \"$0\" \"$@\"", program.path] + arguments
        } else if let first = starter.first {
            process.executableURL = URL(fileURLWithPath: first)
            process.arguments = starter.dropFirst() + [program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("SLUICE_") }
            // Two programs on one machine would want the same default address.
            .merging(["SLUICE_ADMIN": "off"]) { $1 }
            .merging(environment) { $1 }
        process.standardOutput = outputPipe
        process.standardError = errorPipe
        keepFromOthers(outputPipe)
        keepFromOthers(errorPipe)
        try process.run()
    }

    /// Kills the process if `body` takes too long, which ends reads of its output. The exit code shows it.
    private func withPatience<Value>(_ body: () -> Value) -> Value {
        let watchdog = DispatchWorkItem { [pid = process.processIdentifier] in kill(pid, SIGKILL) }
        let limit = Int(Patience.limit / .milliseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(limit), execute: watchdog)
        defer { watchdog.cancel() }
        return body()
    }

    var processIdentifier: Int32 { process.processIdentifier }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitForEnd()
    }

    /// Runs a command and waits for its end.
    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Output {
        let running = try SluiceProcess(arguments, environment: environment)
        return running.finish()
    }

    /// Reads the next line of standard output, without its line feed.
    func readLine() -> String? { withPatience(nextLine) }

    private func nextLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(outputPipe.fileHandleForReading.fileDescriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Reads the port from the first line that a server prints.
    func readPort() throws -> Int {
        try #require(try readPortIfFree(), "another program listens on the port")
    }

    /// Reads the port from the first line that a server prints; nil if it ended because another program
    /// listens there.
    func readPortIfFree() throws -> Int? {
        guard let line = readLine() else {
            let output = finish()
            try #require(output.errors.contains("is taken: another program listens there"), "\(output)")
            return nil
        }
        let match = try #require(
            line.wholeMatch(of: /sluice listening on http:\/\/127\.0\.0\.1:(\d+)/), "\(line)")
        let port: Int = try #require(Int(match.1))
        return port
    }

    /// Waits until standard error names the address of the admin listener, and returns its port.
    func readAdminPort() throws -> Int {
        func port() -> Int? {
            errors.firstMatch(of: /"admin listening","address":"127\.0\.0\.1:(\d+)"/).flatMap { Int($0.1) }
        }
        try spin(while: port() == nil) { "standard error is \(errors)" }
        return try #require(port())
    }

    /// Counts the lines with this text that standard error has so far.
    func errorLines(containing text: String) -> Int {
        errors.split(separator: "\n").count { $0.contains(text) }
    }

    /// What standard error has so far.
    var errors: String {
        let descriptor = errorPipe.fileHandleForReading.fileDescriptor
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var chunk = [UInt8](repeating: 0, count: 65536)
        while poll(&state, 1, 0) > 0, case let count = read(descriptor, &chunk, chunk.count), count > 0 {
            readErrors += chunk[..<count]
        }
        return String(decoding: readErrors, as: UTF8.self)
    }

    /// Closes the reading end of standard output, so that further writes of the program fail.
    func closeOutput() {
        outputIsClosed = true
        try? outputPipe.fileHandleForReading.close()
    }

    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// Waits for the end and returns the output that has not been read yet.
    func finish() -> Output { withPatience(end) }

    private func end() -> Output {
        let output = outputIsClosed ? Data() : outputPipe.fileHandleForReading.readDataToEndOfFile()
        let errors = readErrors + errorPipe.fileHandleForReading.readDataToEndOfFile()
        process.waitForEnd()
        return Output(
            exitCode: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    var exitedBySignal: Bool { process.terminationReason == .uncaughtSignal }
}

/// Keeps other processes from inheriting the pipe, so that its reader sees the end when this process ends.
private func keepFromOthers(_ pipe: Pipe) {
    for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
}

/// Sends a request with curl and returns the status and the body.
func curl(_ arguments: String...) throws -> (status: Int, body: String) { try curl(arguments) }

func curl(_ arguments: [String]) throws -> (status: Int, body: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    process.arguments =
        ["--silent", "--show-error", "--max-time", "20", "--write-out", "\n%{http_code}"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    keepFromOthers(pipe)
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitForEnd()
    let end = try #require(text.lastIndex(of: "\n"))
    return (Int(text[text.index(after: end)...]) ?? 0, String(text[..<end]))
}
