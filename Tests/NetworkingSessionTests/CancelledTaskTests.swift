import Foundation
import HTTPModel
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

/// A call of a task that was cancelled before it made the call.
@Suite("Calls of cancelled tasks", .timeLimit(.minutes(1)))
struct CancelledTaskTests {
    enum Way: CaseIterable {
        case request, value, void, upload, stream, values, progress, progressSequence, download, session
    }

    private static func call(
        _ way: Way, _ provider: Provider<FileAPI>, _ target: FileAPI, in folder: ScratchFolder,
        by session: Session
    ) async throws {
        var upload = target
        upload.task = .file(folder.file("body"))
        switch way {
        case .request: _ = try await provider.request(target)
        case .value: _ = try await provider.rx.request(target).mapString().value
        case .void: try await provider.rx.request(target).asCompletable().value
        case .upload: _ = try await provider.request(upload)
        case .stream: for try await _ in try await provider.stream(target) {}
        case .values: for try await _ in provider.rx.stream(target).values {}
        case .progress: _ = try await provider.rx.requestWithProgress(upload).toArray().value
        case .progressSequence: for try await _ in provider.requestWithProgress(upload) {}
        case .download: _ = try await provider.download(target, to: folder.file("download"))
        case .session:
            _ = try await session.request(HTTPRequest(url: target.baseURL + "/sent", method: .post))
        }
    }

    @Test("A task that was cancelled before it calls sends nothing", arguments: Way.allCases)
    func nothing(way: Way) async throws {
        let upstream = try ScriptedUpstream([
            .answer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" }
        ])
        defer { upstream.stop() }
        let folder = ScratchFolder()
        try Data("body".utf8).write(to: URL(fileURLWithPath: folder.file("body")))
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        let base = "http://127.0.0.1:\(upstream.port)"
        let target = FileAPI(baseURL: base, path: "/sent", method: .post, task: .data([0x61]))
        // The loop may send a request on a warm connection before it hears of the cancellation.
        _ = try await provider.request(FileAPI(baseURL: base, path: "/first"))
        for _ in 0..<50 {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await Self.call(way, provider, target, in: folder, by: session)
            }
            switch await task.result {
            case .failure(let error): #expect(error is CancellationError)
            // The iteration over an `AsyncThrowingStream` ends.
            case .success: #expect(way == .values || way == .progressSequence)
            }
        }
        _ = try await provider.request(FileAPI(baseURL: base, path: "/last"))
        #expect(upstream.requests.map { $0.prefix { $0 != "H" } } == ["GET /first ", "GET /last "])
    }
}
