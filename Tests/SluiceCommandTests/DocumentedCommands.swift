import Foundation
import TestSupport
import Testing

/// The commands and outputs that an article shows in its `console` blocks.
///
/// A line that begins with `$ ` is a command; the lines after it, up to the next command, are its output.
struct DocumentedCommands {
    struct Step: Equatable {
        let command: String
        var output: [String] = []
    }

    let steps: [Step]

    init(markdown: String) {
        var steps: [Step] = []
        var isInside = false
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isInside = line == "```console"
            } else if isInside, line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else if isInside, !steps.isEmpty {
                steps[steps.count - 1].output.append(String(line))
            }
        }
        self.steps = steps
    }

    /// Splits an article into one section, with its heading, and the rest.
    static func split(_ markdown: String, section heading: String) throws -> (section: String, rest: String) {
        let start = try #require(markdown.range(of: "\n## \(heading)\n"), "no heading \(heading)")
        let end = markdown[start.upperBound...].range(of: "\n## ")?.lowerBound ?? markdown.endIndex
        return (
            String(markdown[start.lowerBound..<end]),
            String(markdown[..<start.lowerBound] + markdown[end...])
        )
    }

    /// Patterns of values that differ from run to run: request ids, dates, times, lengths, new API keys and
    /// their digests, what a limit of 50 has left and when it admits again (in at most 2 s). Also of the
    /// number of series, some of which are a loop's.
    private static let varying: [(pattern: String, replacement: String)] = [
        (#""requestId":"[0-9a-z]+""#, #""requestId":"*""#),
        (#"("(elapsed|began|end|sent|firstByte)Ms"):[0-9.]+"#, "$1:*"),
        (#"dur=[0-9.]+"#, "dur=*"),
        (#"up to [0-9]+ series"#, "up to * series"),
        (#"sluice_[0-9A-Za-z_-]{43}"#, "sluice_*"),
        (#"\b[0-9a-f]{64}\b"#, "*"),
        (#""time":"[^"]*""#, #""time":"*""#),
        (#"r=(4[0-9]|50);"#, "r=*;"),
        (#"(;t=|Retry-After: |retry in )[0-2]\b"#, "$1*"),
        (#"(X-Request-Id|Date|Content-Length|ETag|Last-Modified): [^\r\n]*"#, "$1: *"),
        (#"\s+"#, ""),
    ]

    private static func withoutVarying(_ text: String) -> String {
        varying.reduce(text) {
            $0.replacingOccurrences(of: $1.pattern, with: $1.replacement, options: .regularExpression)
        }
    }

    /// Whether an output equals the shown one, apart from white space and varying values. `...` in the shown
    /// output matches any text.
    static func matches(shown: [String], printed: String) -> Bool {
        let pieces = withoutVarying(shown.joined(separator: "\n")).components(separatedBy: "...")
        var rest = Substring(withoutVarying(printed))
        guard let first = pieces.first, let last = pieces.last, rest.hasPrefix(first) else { return false }
        guard pieces.count > 1 else { return rest.count == first.count }
        rest = rest.dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}

/// Runs the commands of one article in order. Servers listen on free ports instead of the documented ports.
/// If the article starts no server before its first request, a demo with its own data is started.
final class DocumentedSession {
    private let folder: String
    private let root: String
    private var server: SluiceProcess?
    private var port = 0
    /// `sluice upstream`, which runs beside the server.
    private var upstream: SluiceProcess?
    private var upstreamPort = 0

    /// - Parameters:
    ///   - folder: The folder for the data of servers.
    ///   - root: The folder of the repository, to which files in commands are relative.
    init(folder: String, root: String) {
        self.folder = folder
        self.root = root
    }

    /// Runs a command and returns its output. For a command that starts a server the output is empty, and the
    /// server keeps running.
    func run(_ command: String) throws -> String {
        let words = Self.words(command)
        guard words.first == "sluice" else { return try ask(command) }
        let arguments = words.dropFirst().map(path)
        guard let name = arguments.first, ["serve", "demo", "upstream"].contains(name),
            !arguments.contains("--help")
        else {
            let printed = try SluiceProcess(arguments).finish().output
            return printed.replacingOccurrences(of: "\(examples)/", with: "")
        }
        if name == "upstream" { try startUpstream() } else { try start(arguments) }
        return ""
    }

    /// Splits a command at blanks outside of single quotes.
    private static func words(_ command: String) -> [String] {
        command.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, piece in
            index.isMultiple(of: 2) ? piece.split(separator: " ").map(String.init) : [String(piece)]
        }
    }

    /// The folder of the files that articles name without one.
    private var examples: String { "\(root)/docker/examples" }

    /// Returns the path of a file or folder in the repository; other words as they are.
    private func path(_ word: String) -> String {
        let paths = ["\(root)/\(word)", "\(examples)/\(word)"]
        return paths.first { FileManager.default.fileExists(atPath: $0) } ?? word
    }

    private func start(_ arguments: [String]) throws {
        endServer()
        // The example files take the address of the sample upstreams from a variable.
        let address = "http://127.0.0.1:\(upstreamPort)"
        let started = try SluiceProcess(
            arguments + ["--port", "0", "--drain-delay", "0", "--loops", "1"],
            environment: upstream == nil ? [:] : ["API": address, "DIARY": address])
        port = try started.readPort()
        server = started
    }

    private func startUpstream() throws {
        let started = try SluiceProcess(["upstream", "--port", "0", "--data", "\(folder)/upstream.sqlite3"])
        upstreamPort = try started.readPort()
        upstream = started
    }

    private func ask(_ command: String) throws -> String {
        if server == nil { try start(["demo", "--data", "\(folder)/diary.sqlite3"]) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c",
            "curl() { command curl --silent --show-error --max-time 20 \"$@\"; }; "
                + command.replacingOccurrences(of: "127.0.0.1:8080", with: "127.0.0.1:\(port)")
                .replacingOccurrences(of: "127.0.0.1:8081", with: "127.0.0.1:\(upstreamPort)"),
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let printed = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForEnd()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "exit status \(process.terminationStatus) of: \(command)")
        }
        return printed
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func end() {
        endServer()
        upstream?.signal(SIGTERM)
        if let upstream { #expect(upstream.finish().exitCode == 0) }
        upstream = nil
    }

    private func endServer() {
        server?.signal(SIGTERM)
        if let server { #expect(server.finish().exitCode == 0) }
        server = nil
    }
}
