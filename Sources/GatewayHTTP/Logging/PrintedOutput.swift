import Dispatch
import EventIO
import Glibc

/// Logs what the program writes to its standard output: `print` in a handler, or a C library.
///
/// The access log keeps the original standard output for itself, by a duplicate. Standard output becomes a
/// pipe, whose lines a thread writes to the diagnostic log. So nothing that a program prints, in whatever
/// pieces, can stand within a line of either log, and each line of both can be parsed.
final class PrintedOutput: Sendable {
    /// How long `end` waits for the thread: a child process may keep the pipe open.
    private static let endDeadline = DispatchTimeInterval.seconds(1)
    private static let chunk = 65_536

    /// The descriptor of the standard output that the program was started with.
    let original: Int32
    private let finished = DispatchSemaphore(value: 0)

    /// Redirects standard output until `end`.
    init(_ log: Log) throws(SocketError) {
        let (reader, original) = try StandardOutput.redirect()
        self.original = original
        do throws(SocketError) {
            try NativeThread.start(name: "printed") { [finished] in
                Self.read(reader, log)
                close(reader)
                finished.signal()
            }
        } catch {
            StandardOutput.restore(original)
            close(reader)
            throw error
        }
    }

    /// Gives standard output back, and logs what has been printed.
    func end() {
        StandardOutput.restore(original)
        _ = finished.wait(timeout: .now() + Self.endDeadline)
    }

    private static func read(_ reader: Int32, _ log: Log) {
        var lines = PrintedLines()
        var bytes = [UInt8](repeating: 0, count: chunk)
        while true {
            let count = Glibc.read(reader, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for line in lines.add(bytes[..<count]) { write(line, log) }
        }
        if let line = lines.end() { write(line, log) }
    }

    private static func write(_ line: String, _ log: Log) {
        log.writeOfCode(.info, "printed", CollectionOfOne((key: "text", value: line)))
    }
}

/// Divides what a program prints into lines.
struct PrintedLines {
    /// A longer line is divided.
    static let longestLine = 8192
    private static let lineFeed = UInt8(ascii: "\n")

    private var rest: [UInt8] = []

    /// Returns the lines that have ended, without those that are empty. Bytes that are not UTF-8 are
    /// replaced.
    mutating func add(_ bytes: ArraySlice<UInt8>) -> [String] {
        var lines: [String] = []
        var bytes = bytes
        while let end = bytes.firstIndex(of: Self.lineFeed) {
            take(bytes[..<end], into: &lines)
            if let line = self.end() { lines.append(line) }
            bytes = bytes[(end + 1)...]
        }
        take(bytes, into: &lines)
        return lines
    }

    /// Returns the last line, which has no line feed; nil if all lines have ended.
    mutating func end() -> String? {
        guard !rest.isEmpty else { return nil }
        defer { rest = [] }
        return String(decoding: rest, as: UTF8.self)
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, into lines: inout [String]) {
        var bytes = bytes
        while rest.count + bytes.count > Self.longestLine {
            let piece = bytes.prefix(Self.longestLine - rest.count)
            rest += piece
            bytes = bytes.dropFirst(piece.count)
            if let line = end() { lines.append(line) }
        }
        rest += bytes
    }
}
