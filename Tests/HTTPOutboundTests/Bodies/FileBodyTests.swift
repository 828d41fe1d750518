import EventIO
import Foundation
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

/// Opens a whole file as the gateway opens the files that it serves.
func fileReader(_ path: String) throws -> any BlockingReader {
    let url = URL(fileURLWithPath: path)
    let file = try RootFolder(path: url.deletingLastPathComponent().path).open(url.lastPathComponent)
    return file.reader(of: 0..<file.byteCount)
}

@Suite("Request bodies from files", .timeLimit(.minutes(1)))
struct FileBodyTests {
    @Test("A file that disappears or shrinks before it is sent fails the call")
    func changed() async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("a")
        let upstream = try ScriptedUpstream([.awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for isGone in [true, false] {
                try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
                let body = BlockingBody(length: 5) { try fileReader(path) }
                if isGone { unlink(path) } else { truncate(path, 2) }
                let failure = try await api.call(
                    OutboundRequest(method: .put, target: Array("/".utf8)[...], body: .stream(body))
                ).failure
                #expect(failure?.reason == .requestError)
                #expect(
                    failure?.detail
                        == (isGone
                            ? "file a: No such file or directory"
                            : "the body is 3 bytes shorter than its length"))
            }
        }
        upstream.stop()
    }
}
