import EventIO
import Foundation
import HTTPModel
import Networking
import NetworkingSession
import TestSupport
import Testing

@Suite("Body sources that wait", .timeLimit(.minutes(1)))
struct SilentSourceTests {
    /// Blocks until somebody opens the gate.
    private struct GatedSource: BodySource {
        let length: Int64? = nil
        let isReading: Signal
        let gate: Signal

        func open() throws -> any BodyReader { Reader(self) }

        private final class Reader: BodyReader {
            private let source: GatedSource

            init(_ source: GatedSource) { self.source = source }

            func read(atMost count: Int) throws -> ArraySlice<UInt8> {
                source.isReading.fire()
                try source.gate.waitBlocking()
                return []
            }
        }
    }

    @Test("A source that waits holds up no file, by itself or in a form", arguments: [false, true])
    func silentSources(inForm: Bool) async throws {
        let upstream = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" }
        ])
        defer { upstream.stop() }
        let folder = ScratchFolder()
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let target = FileAPI(baseURL: "http://127.0.0.1:\(upstream.port)", path: "/a", method: .put)
        let source = GatedSource(isReading: Signal(), gate: Signal())
        var silent = target
        silent.task = inForm ? .multipart(MultipartFormData([.stream(source, name: "a")])) : .stream(source)
        let waiting = (0..<8).map { [silent] _ in Task { try await provider.request(silent) } }
        // As many as there are threads for files.
        try await source.isReading.wait(count: 4)

        let file = folder.file("source")
        try Data(count: 100_000).write(to: URL(fileURLWithPath: file))
        var upload = target
        upload.task = .file(file)
        #expect(try await provider.request(upload).statusCode == 200)
        let copy = folder.file("copy")
        #expect(try await provider.download(target, to: copy).statusCode == 200)
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "hi")

        for task in waiting {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        for _ in waiting { source.gate.fire() }
    }

    @Test("The time of a download ends although the disk is silent")
    func silentDisk() async throws {
        let upstream = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" }
        ])
        defer { upstream.stop() }
        let folder = ScratchFolder()
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let disk = Signal()
        // All threads for files.
        for _ in 0..<4 { #expect(FileThreads.submit { try? disk.waitBlocking() }) }
        defer { for _ in 0..<4 { disk.fire() } }
        let error = await #expect(throws: NetworkError.self) {
            _ = try await provider.download(
                FileAPI(
                    baseURL: "http://127.0.0.1:\(upstream.port)", path: "/a", timeout: .milliseconds(100)),
                to: folder.file("copy"))
        }
        #expect(error?.reason == .responseTimeout)
        let elapsed = try #require(error?.elapsed)
        #expect(elapsed < .seconds(10))
    }
}
