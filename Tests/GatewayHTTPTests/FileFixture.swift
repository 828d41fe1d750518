import Foundation
import GatewayCore
import Glibc
import JSONBytes
import TestSupport
import Testing

@testable import GatewayHTTP

/// A folder of static files and gateways that serve it.
final class FileFixture: Sendable {
    let scratch = ScratchFolder()
    var root: String { scratch.file("public") }

    init() throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    func write(_ name: String, _ bytes: [UInt8], modified: Int? = nil) throws {
        let url = URL(fileURLWithPath: root + "/" + name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        guard let modified else { return }
        var times = [timespec(tv_sec: modified, tv_nsec: 0), timespec(tv_sec: modified, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, url.path, &times, 0) == 0)
    }

    func write(_ name: String, _ text: String, modified: Int? = nil) throws {
        try write(name, Array(text.utf8), modified: modified)
    }

    /// Serves files, by default the folder's, and two endpoints while `body` runs with the port. Returns the
    /// lines of the access log.
    @discardableResult
    func serve(
        _ files: StaticFiles? = nil, _ body: (Int) throws -> Void
    ) throws -> [JSONFragment] {
        try withLoggedGateway(
            configure: { $0.files = files ?? .folder(root) },
            declare: { gateway in
                gateway.get("/api/value") { _ in .json(1) }
                gateway.post("/posted") { _ in .json(2) }
            }
        ) { try body($0.port) }
    }
}

extension FileFixture {
    /// The contents of `large`.
    static let large = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    /// The length of `huge`: more than the kernel buffers for a client that does not read.
    static let huge = 256 << 20

    /// A folder with the files `large`, `huge` and `small`.
    static func withLargeFiles() throws -> FileFixture {
        let fixture = try FileFixture()
        try fixture.write("large", large)
        try fixture.write("small", "small")
        // A sparse file.
        try fixture.write("huge", "")
        #expect(truncate(fixture.root + "/huge", huge) == 0)
        return fixture
    }

    /// Returns how many descriptors of this process are open for the file.
    func openCount(_ name: String) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.count { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?
                .hasSuffix(root + "/" + name) == true
        }
    }
}

extension RawClient {
    /// - Parameter fields: Complete field lines.
    func ask(_ target: String, _ fields: String...) throws -> Reply { try call("GET", target, fields) }

    func call(_ method: String, _ target: String, _ fields: String...) throws -> Reply {
        try call(method, target, fields)
    }

    private func call(_ method: String, _ target: String, _ fields: [String]) throws -> Reply {
        let lines = fields.map { $0 + "\r\n" }.joined()
        send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(lines)\r\n")
        return try reply(toHead: method == "HEAD")
    }
}

/// The `code` of an envelope.
func code(of reply: RawClient.Reply) -> String? {
    (try? JSONFragment(validating: reply.body[...]))?[member: "code"]?.stringValue
}
