import EventIO
import Foundation
import HTTPModel
import TestSupport
import Testing

@testable import HTTPOutbound

@Suite("Bodies from files and into files", .timeLimit(.minutes(1)))
struct FileBodyTests {
    private static func names(_ folder: ScratchFolder) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private static func download(
        _ api: Upstream, to path: String, limit: Int? = nil
    ) async -> Result<OutboundResponse, OutboundError> {
        await Begun(api, api.download(OutboundRequest(target: "/"), to: path, limit: limit)).end()
    }

    @Test("A file that is not there is no body")
    func missing() async throws {
        let path = ScratchFolder().file("none")
        #expect(throws: SocketError(.file, ENOENT, subject: path)) { try BlockingBody(file: path) }
    }

    @Test("A path with a NUL is no file to send, and a download to it sends nothing")
    func nul() async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("a")
        try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: SocketError(.badPath, .file, subject: path)) { try BlockingBody(file: path + "\0b") }
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        ])
        try await ClientHarness.with { harness in
            let failure = await Self.download(try await harness.upstream(upstream), to: path + "\0b").failure
            #expect(failure?.reason == .requestError)
            #expect(failure?.detail == "file \(path): the path contains a NUL")
            #expect(failure?.requestWasSent == false)
        }
        #expect(upstream.connections == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("hello".utf8))
        upstream.stop()
    }

    @Test("A file that goes before it is sent, or gets shorter, fails the call")
    func changed() async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("a")
        let upstream = try ScriptedUpstream([.awaitEnd])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for isGone in [true, false] {
                try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
                let body = try BlockingBody(file: path)
                if isGone { unlink(path) } else { truncate(path, 2) }
                let failure = await api.call(
                    OutboundRequest(method: .put, target: Array("/".utf8)[...], body: .stream(body))
                ).failure
                #expect(failure?.reason == .requestError)
                #expect(
                    failure?.detail
                        == (isGone
                            ? "file \(path): No such file or directory"
                            : "the body is 3 bytes shorter than its length"))
            }
        }
        upstream.stop()
    }

    @Test("A download that is cut, too large, or disposed of leaves no file behind")
    func failedDownload() async throws {
        let scratch = ScratchFolder()
        let path = scratch.file("a")
        let upstream = try ScriptedUpstream(
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"), .close],
            [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1234567890"), .awaitEnd],
            [
                .readRequest,
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"
                        + String(repeating: "x", count: 800_000)),
                .awaitEnd,
            ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            #expect(await Self.download(api, to: path).reason == "http_response_incomplete")
            #expect(await Self.download(api, to: path, limit: 9).reason == "http_response_body_size")
            let begun = Begun(api, api.download(OutboundRequest(target: "/"), to: path))
            while Self.names(scratch).isEmpty { await Task.yield() }
            begun.dispose()
            await upstream.clientEnded.wait(count: 2)
        }
        while !Self.names(scratch).isEmpty { await Task.yield() }
        upstream.stop()
    }

    @Test("A folder that is not there fails the download, and so does a name that is a folder's")
    func nowhere() async throws {
        let scratch = ScratchFolder()
        mkdir(scratch.file("folder"), 0o755)
        let body = String(repeating: "x", count: 300_000)
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + body), .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let api = try await harness.upstream(upstream)
            for (name, code) in [("none/a", ENOENT), ("folder", EISDIR)] {
                let failure = await Self.download(api, to: scratch.file(name)).failure
                #expect(failure?.reason == .internalError)
                #expect(
                    failure?.detail
                        == SocketError(.file, code, subject: scratch.file(name)).description)
            }
        }
        #expect(Self.names(scratch) == ["folder"])
        upstream.stop()
    }

    @Test("What is no success goes to no file")
    func notFound() async throws {
        let scratch = ScratchFolder()
        let upstream = try ScriptedUpstream([
            .readRequest, .send("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"), .awaitEnd,
        ])
        try await ClientHarness.with { harness in
            let result = await Self.download(try await harness.upstream(upstream), to: scratch.file("a"))
            #expect(result.status == 404 && result.text == "no")
        }
        #expect(Self.names(scratch).isEmpty)
        upstream.stop()
    }
}
