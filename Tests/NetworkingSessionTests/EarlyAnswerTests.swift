import Foundation
import HTTPModel
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

/// Upstreams that answer before they have the whole request.
@Suite("Answers before the end of an upload", .timeLimit(.minutes(1)))
struct EarlyAnswerTests {
    private static let created = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"
    private static let size = 16 << 20

    /// A body in memory and the same from a file.
    enum Kind: CaseIterable { case memory, file }

    private func target(_ kind: Kind, _ upstream: ScriptedUpstream, in folder: ScratchFolder) throws
        -> FileAPI
    {
        let bytes = [UInt8](repeating: 0x61, count: Self.size)
        let task: RequestTask
        switch kind {
        case .memory: task = .data(bytes[...])
        case .file:
            let path = folder.file("body")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            task = .file(path)
        }
        return FileAPI(
            baseURL: "http://127.0.0.1:\(upstream.port)", path: "/put", method: .put, task: task)
    }

    private func withProvider(
        _ script: [ScriptedUpstream.Step], _ kind: Kind,
        _ body: (Provider<FileAPI>, FileAPI, ScriptedUpstream) async throws -> Void
    ) async throws {
        let upstream = try ScriptedUpstream(script, [.readRequest, .send(Self.created), .awaitEnd])
        defer { upstream.stop() }
        let folder = ScratchFolder()
        let session = try Session.patient()
        defer { session.close() }
        let provider = Provider<FileAPI>(session: session, policy: .patient)
        try await body(provider, target(kind, upstream, in: folder), upstream)
    }

    @Test(
        "If the rest of a PUT cannot be sent after a 201, the call fails with the status, and is not retried",
        arguments: Kind.allCases)
    func broken(kind: Kind) async throws {
        try await withProvider([.readHead, .send(Self.created), .read(1 << 20), .reset], kind) {
            provider, target, upstream in
            // Read outside of the expectations, which would show the error with its large body.
            guard
                case .failure(let failure as NetworkError) = try await provider.rx.request(target).asResult()
                    .value
            else {
                Issue.record("the call did not fail")
                return
            }
            let (kind, reason, status, attempts) = (
                failure.kind, failure.reason, failure.statusCode, failure.attempts
            )
            #expect(kind == .networkFail)
            #expect(reason == .connectionTerminated)
            #expect(status == 201)
            #expect(attempts == 1)
            let (hasResponse, notRetried, message) = (
                failure.response != nil, failure.notRetried, failure.message
            )
            #expect(!hasResponse)
            #expect(notRetried == .reason)
            #expect(
                message
                    == "the upstream answered before it had the whole request, and the rest could not be sent"
            )
            let sent = (failure.underlying as? TransportError)?.status
            #expect(sent == .created)
            #expect(upstream.connections == 1)
        }
    }

    @Test("A response that ends an upload says so", arguments: Kind.allCases)
    func refused(kind: Kind) async throws {
        let refusal = "HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n"
        try await withProvider([.readHead, .send(refusal), .awaitEnd], kind) { provider, target, _ in
            let response = try await provider.request(target)
            #expect(response.statusCode == 413)
            #expect(response.requestWasCut)
        }
    }

    @Test("An upload reports its progress while the upstream takes it", arguments: Kind.allCases)
    func progress(kind: Kind) async throws {
        let script: [ScriptedUpstream.Step] = [
            .readHead, .read(Self.size), .send(Self.created), .awaitEnd,
        ]
        try await withProvider(script, kind) { provider, target, _ in
            var steps: [ProgressResponse] = []
            for try await step in provider.requestWithProgress(target) where step.direction == .upload {
                steps.append(step)
            }
            let sent = steps.map(\.completed)
            #expect(sent.count > 1)
            #expect((sent.first ?? 0) < Int64(Self.size))
            #expect(sent == sent.sorted())
            #expect(sent.last == Int64(Self.size))
            #expect(steps.allSatisfy { $0.total == Int64(Self.size) })
        }
    }

    @Test("A 201 before the body does not end the upload", arguments: Kind.allCases)
    func whole(kind: Kind) async throws {
        let done = Signal()
        let script: [ScriptedUpstream.Step] = [
            .readHead, .send(Self.created), .read(Self.size), .fire(done), .awaitEnd,
        ]
        try await withProvider(script, kind) { provider, target, _ in
            var sent: Int64 = 0
            for try await step in provider.requestWithProgress(target) {
                if step.direction == .upload { sent = step.completed }
                if let response = step.response {
                    #expect(response.statusCode == 201)
                    #expect(!response.requestWasCut)
                }
            }
            #expect(sent == Int64(Self.size))
            try await done.wait()
        }
    }
}
