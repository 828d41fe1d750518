import Foundation
import TestSupport

/// Runs curl against one address and parses what it received.
struct Curl {
    static let program = PeerProcess.find("curl")

    struct Answer {
        let status: Int
        /// By name in lower case.
        let fields: [String: String]
        let body: [UInt8]

        subscript(name: String) -> String? { fields[name] }

        /// The boundary of a multipart answer.
        var boundary: String? {
            guard let type = fields["content-type"], type.hasPrefix("multipart/") else { return nil }
            return type.split(separator: "boundary=").last.map { String($0) }
        }
    }

    let base: String
    private let folder: ScratchFolder

    init(base: String, in folder: ScratchFolder) {
        self.base = base
        self.folder = folder
    }

    /// Returns curl's exit status.
    ///
    /// - Parameter fileBlocks: the largest file that curl may write, in blocks of the shell; with a larger
    ///   one it ends with 23. Nil for any.
    func run(_ arguments: [String], fileBlocks: Int? = nil) throws -> Int32 {
        guard let program = Self.program else { throw PeerFailure(description: "curl is not installed") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        let limit = fileBlocks.map { "trap '' XFSZ; ulimit -f \($0); " } ?? ""
        process.arguments =
            ["-c", limit + "exec \"$0\" \"$@\"", program, "-q", "-sS", "--noproxy", "*"] + arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitForEnd()
        return process.terminationStatus
    }

    func get(_ path: String, _ arguments: String...) throws -> Answer { try get(path, arguments) }

    /// Sends a request with these options.
    func get(_ path: String, _ arguments: [String]) throws -> Answer {
        let (head, body) = (folder.file("curl.head"), folder.file("curl.body"))
        for file in [head, body] { try? FileManager.default.removeItem(atPath: file) }
        _ = try run(["--max-time", "20", "-D", head, "-o", body] + arguments + [base + path])
        let text = try String(contentsOfFile: head, encoding: .utf8)
        // With 100 Continue there are several heads.
        let last = text.components(separatedBy: "\r\n\r\n").last { !$0.isEmpty } ?? ""
        let lines = last.components(separatedBy: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        let isHead = arguments.contains("-I")
        return Answer(
            status: Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0, fields: fields,
            body: isHead ? [] : (try? Array(Data(contentsOf: URL(fileURLWithPath: body)))) ?? [])
    }
}
