import EventIO
import Foundation
import TestSupport
import Testing

@Suite("Spooling to a file", .timeLimit(.minutes(1)))
struct SpoolTests {
    /// Runs `body` with its own directory, so that its files can be counted.
    private static func withDirectory(_ body: (String) async throws -> Void) async throws {
        var path = Array("/var/tmp/sluice-spool-XXXXXX".utf8CString)
        try #require(mkdtemp(&path) != nil)
        let directory = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { rmdir(directory) }
        try await body(directory)
        #expect(rmdir(directory) == 0, "the directory must be empty")
    }

    /// Counts the descriptors of this process that are files of `directory`.
    private static func files(in directory: String) -> Int {
        let folder = "/proc/self/fd"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return descriptors.count { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(descriptor)")
            return target?.hasPrefix(directory + "/") == true
        }
    }

    /// Spools the queue. Returns the size of the file, and the error if it failed.
    private static func spool(_ driven: StreamDriver, to directory: String) async throws -> (
        Int, SocketError?
    ) {
        let told = Inbox<SocketError?>()
        let count = try await driven.on { stream in
            stream.spool(to: directory) { told.put($0) }
        }
        return (count, try await told.next())
    }

    @Test("If no file can be created, the failure is reported and the bytes are sent from memory")
    func noDirectory() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                let payload = testBytes(8 << 20)
                try await driven.on { $0.write(payload[...]) }
                let (count, error) = try await Self.spool(driven, to: "/nonexistent/spool")
                #expect(count > 0)
                #expect(error?.description == "spool /nonexistent/spool: No such file or directory")
                #expect(try await driven.on { $0.bufferedByteCount } == count)
                let isWhole = try await onThread { try peer.receive(exactly: payload.count) } == payload
                #expect(isWhole)
            }
        }
    }

    @Test("The check of a directory reports whether files can be created in it")
    func check() async throws {
        #expect(throws: SocketError(.spool, ENOENT, subject: "/nonexistent")) {
            try SpoolFile.check("/nonexistent")
        }
        #expect(throws: SocketError(.spool, ENOTDIR, subject: "/proc/self/status")) {
            try SpoolFile.check("/proc/self/status")
        }
        try await Self.withDirectory { try SpoolFile.check($0) }
    }

    @Test("An empty queue is not spooled")
    func nothingWaits() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, _ in
                let count = try await driven.on { stream in
                    stream.spool(to: "an empty queue was reported as spooled") { _ in
                        Issue.record("an empty queue was reported as spooled")
                    }
                }
                #expect(count == 0)
            }
        }
    }

    @Test("Spooled bytes arrive in order, followed by later writes")
    func inOrder() async throws {
        try await Self.withDirectory { directory in
            try await withLoop { loop in
                try await withAccepted(loop: loop) { driven, peer in
                    let payload = testBytes(8 << 20)
                    let later = testBytes(1 << 20, from: 7)
                    try await driven.on {
                        $0.write([payload[..<1000], payload[1000..<5_000_000], payload[5_000_000...]])
                    }
                    let (count, error) = try await Self.spool(driven, to: directory)
                    #expect(error == nil)
                    try await driven.on { stream in
                        #expect(stream.residentByteCount == 0)
                        #expect(stream.queuedByteCount == count)
                        #expect(stream.spool(to: directory) { _ in } == 0, "no byte is in memory")
                        stream.write(later[...])
                        #expect(stream.residentByteCount == later.count)
                        #expect(stream.queuedByteCount == count + later.count)
                    }
                    #expect(Self.files(in: directory) == 1)
                    let all = payload + later
                    let isWhole = try await onThread { try peer.receive(exactly: all.count) } == all
                    #expect(isWhole)
                    var event = try await driven.next()
                    if event == .drained { event = try await driven.next() }
                    #expect(event == .flushed)
                    #expect(try await driven.on { $0.queuedByteCount } == 0)
                    #expect(try await driven.on { $0.bytesSent } == Int64(all.count))
                    try await poll(while: Self.files(in: directory) > 0) {
                        "\(Self.files(in: directory)) open files in \(directory)"
                    }
                }
            }
        }
    }

    @Test("Output behind a file moves to further files, and all arrives in order")
    func furtherFiles() async throws {
        try await Self.withDirectory { directory in
            try await withLoop { loop in
                try await withAccepted(loop: loop) { driven, peer in
                    let payload = testBytes(8 << 20)
                    let parts = [
                        payload[..<6_000_000], payload[6_000_000..<7_000_000], payload[7_000_000...],
                    ]
                    for (number, part) in parts.enumerated() {
                        try await driven.on { $0.write(part) }
                        let (count, error) = try await Self.spool(driven, to: directory)
                        #expect(error == nil)
                        if number > 0 { #expect(count == part.count) }
                        #expect(try await driven.on { $0.residentByteCount } == 0)
                        #expect(Self.files(in: directory) == number + 1)
                    }
                    let later = testBytes(1000, from: 7)
                    try await driven.on { $0.write(later[...]) }
                    let all = payload + later
                    let isWhole = try await onThread { try peer.receive(exactly: all.count) } == all
                    #expect(isWhole)
                    #expect(try await driven.on { $0.queuedByteCount } == 0)
                    try await poll(while: Self.files(in: directory) > 0) {
                        "\(Self.files(in: directory)) open files in \(directory)"
                    }
                }
            }
        }
    }

    @Test("A peer that reads while the file is written receives each byte once", arguments: 1...20)
    func meanwhile(round: Int) async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                let payload = testBytes(6_000_000 + round * 4097)
                try await driven.on { $0.write(payload[...]) }
                async let received = onThread { try peer.receive(exactly: payload.count) }
                let told = Inbox<SocketError?>()
                let count = try await driven.on { stream in
                    stream.spool(to: "/var/tmp") { told.put($0) }
                }
                let isWhole = try await received == payload
                #expect(isWhole)
                // A fast reader may have left nothing to spool.
                if count > 0 { #expect(try await told.next() == nil) }
                #expect(try await driven.on { $0.queuedByteCount } == 0)
            }
        }
    }

    @Test("shutdownWrite ends the stream after the last byte of the file")
    func endsAfterTheFile() async throws {
        try await withLoop { loop in
            try await withAccepted(loop: loop) { driven, peer in
                let payload = testBytes(8 << 20)
                try await driven.on { $0.write(payload[...]) }
                _ = try await Self.spool(driven, to: "/var/tmp")
                try await driven.on { $0.shutdownWrite() }
                let isWhole = try await onThread { try peer.receiveAll() } == payload
                #expect(isWhole)
            }
        }
    }

    @Test("Closing a stream deletes its file, even if the file is still being written")
    func closesEarly() async throws {
        try await Self.withDirectory { directory in
            try await withLoop { loop in
                try await withAccepted(loop: loop) { driven, _ in
                    let payload = testBytes(8 << 20)
                    try await driven.on { $0.write(payload[...]) }
                    _ = try await Self.spool(driven, to: directory)
                    #expect(Self.files(in: directory) == 1)
                    try await driven.on { $0.close() }
                    // The writer thread may hold the file a moment longer.
                    try await poll(while: Self.files(in: directory) > 0) {
                        "\(Self.files(in: directory)) open files in \(directory)"
                    }
                }
                try await withAccepted(loop: loop) { driven, _ in
                    let payload = testBytes(8 << 20)
                    let told = Inbox<SocketError?>()
                    try await driven.on { stream in
                        stream.write(payload[...])
                        let count = stream.spool(to: directory) { told.put($0) }
                        #expect(count > 0)
                        stream.close()
                    }
                    // Its bytes stayed in memory until then.
                    #expect(try await told.next() == nil)
                    try await poll(while: Self.files(in: directory) > 0) {
                        "\(Self.files(in: directory)) open files in \(directory)"
                    }
                }
            }
        }
    }
}
