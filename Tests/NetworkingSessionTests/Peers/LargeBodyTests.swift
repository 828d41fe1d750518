import Foundation
import Glibc
import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

/// Transfers bodies over TLS that are larger than the allowed memory. Each test measures its peak in its own
/// process.
@Suite(
    "Large bodies over TLS", .timeLimit(.minutes(2)),
    .enabled(if: Nginx.isInstalled, "nginx is not installed: make setup"))
struct LargeBodyTests {
    private static let mebibytes = 64
    /// The memory in KiB for loops, buffers and the allocator in an unoptimized build. A body in memory would
    /// need eight times as much.
    private static let allowed = 8 << 10

    private static func makeFile(_ path: String) throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var block = [UInt8](repeating: 0, count: 1 << 20)
        for number in 0..<mebibytes {
            for place in stride(from: 0, to: block.count, by: 64) {
                block[place] = UInt8((place >> 6 &+ number) & 255)
            }
            try file.write(contentsOf: block)
        }
    }

    /// Compares two files in pieces.
    private static func areEqual(_ one: String, _ other: String) throws -> Bool {
        let files = try [one, other].map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) }
        while true {
            let pieces = try files.map { try $0.read(upToCount: 1 << 20) ?? Data() }
            guard pieces[0] == pieces[1] else { return false }
            if pieces[0].isEmpty { return true }
        }
    }

    @Test("A download to a file may exceed the body limit, and its memory does not grow with its size")
    func download() async {
        await #expect(processExitsWith: .success) {
            let nginx = try Nginx.secure(files: ["small": [1, 2, 3]])
            defer { nginx.stop() }
            try Self.makeFile(nginx.file("large"))
            let path = nginx.folder.file("downloaded")
            try await PeerSession.with(nginx.secureURL) { peer async throws in
                #expect(try await peer.failure("/large")?.reason == .responseBodySize)
                _ = try await peer.provider.download(peer.target("/small"), to: path)
                let before = PeakMemory.reset()
                let response = try await peer.provider.download(peer.target("/large"), to: path)
                let grown = PeakMemory.kibibytes - before
                #expect(response.statusCode == 200)
                #expect(try Self.areEqual(path, nginx.file("large")))
                #expect(Sanitizer.isOn || grown < Self.allowed, "\(grown) KiB more")
            }
        }
    }

    @Test("An upload's memory does not grow with its size, and the server may refuse it")
    func upload() async {
        await #expect(processExitsWith: .success) {
            let nginx = try Nginx.secure(
                """
                client_max_body_size 1g;
                location /put { dav_methods PUT; create_full_put_path on; }
                location /refused { client_max_body_size 1m; dav_methods PUT; }
                """)
            defer { nginx.stop() }
            let source = nginx.folder.file("source")
            try Self.makeFile(source)
            try await PeerSession.with(nginx.secureURL) { peer async throws in
                let refused = try await peer.provider.request(
                    peer.target("/refused/a", .put, .file(source)))
                #expect(refused.statusCode == 413)
                let before = PeakMemory.reset()
                let response = try await peer.provider.request(
                    peer.target("/put/a", .put, .file(source)))
                let grown = PeakMemory.kibibytes - before
                #expect(response.statusCode == 201)
                #expect(try Self.areEqual(source, nginx.file("put/a")))
                #expect(Sanitizer.isOn || grown < Self.allowed, "\(grown) KiB more")
            }
        }
    }
}

/// The peak of this process's resident memory.
enum PeakMemory {
    /// Resets the peak to the current size, in KiB.
    static func reset() -> Int {
        // proc(5): writing 5 resets the peak to the current resident size.
        let file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        precondition(file >= 0 && write(file, "5", 1) == 1, "the kernel does not reset the peak")
        close(file)
        return kibibytes
    }

    static var kibibytes: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let number = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { preconditionFailure("the kernel does not tell the peak") }
        return number
    }
}
