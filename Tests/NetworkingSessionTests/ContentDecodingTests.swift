import Foundation
import HTTPModel
import Networking
import NetworkingSession
import Rx
import TestSupport
import Testing

@Suite("Content codings over a session", .timeLimit(.minutes(1)))
struct ContentDecodingTests {
    struct Coded: TargetType {
        let baseURL: String
        var path: RequestPath = "/"
        var contentDecoding = ContentDecoding.automatic
    }

    private static let plain = Array("{\"a\":1}".utf8)
    private static let gzip = Deflated.gzip(plain)

    private static func response(_ body: [UInt8], _ coding: String, status: String = "200 OK") -> [UInt8] {
        Array(
            "HTTP/1.1 \(status)\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
            + body
    }

    private func with(
        _ response: [UInt8], decoding: ContentDecoding = .automatic,
        _ body: (Session, String) async throws -> Void
    ) async throws {
        let upstream = try ScriptedUpstream([.readRequest, .sendBytes(response), .again])
        defer { upstream.stop() }
        var configuration = Session.Configuration()
        configuration.connections.proxy = .none
        configuration.policy = .patient
        configuration.contentDecoding = decoding
        let session = try Session(configuration)
        defer { session.close() }
        try await body(session, "http://127.0.0.1:\(upstream.port)")
    }

    private func isRaw(_ response: Response) -> Bool {
        Array(response.data) == Self.gzip && response.fields[.contentEncoding] == "gzip"
            && response.fields[.contentLength] == "\(Self.gzip.count)"
    }

    @Test("A request or a target may turn decoding off for its own call")
    func perCall() async throws {
        try await with(Self.response(Self.gzip, "gzip")) { session, url async throws in
            let request = HTTPRequest(url: url + "/")
            #expect(Array(try await session.request(request).data) == Self.plain)
            let raw = request.setContentDecoding(.none)
            #expect(isRaw(try await session.request(raw)))
            let streamed = try await session.rx.request(raw).value
            #expect(isRaw(streamed))
            #expect(streamed.call.request.contentDecoding == .none)

            let provider = Provider<Coded>(session: session, policy: .patient)
            #expect(Array(try await provider.request(Coded(baseURL: url)).data) == Self.plain)
            let target = Coded(baseURL: url, contentDecoding: .none)
            let response = try await provider.request(target)
            #expect(isRaw(response))
            let error = #expect(throws: NetworkError.self) { try response.fragment() }
            #expect(error?.reason == .responseContentCoding)
        }
    }

    @Test("A session may turn decoding off for all calls")
    func perSession() async throws {
        try await with(Self.response(Self.gzip, "gzip"), decoding: .none) { session, url async throws in
            #expect(isRaw(try await session.request(HTTPRequest(url: url + "/"))))
            let provider = Provider<Coded>(session: session, policy: .patient)
            #expect(isRaw(try await provider.request(Coded(baseURL: url))))
        }
    }

    @Test("A download with decoding turned off stores the encoded bytes")
    func download() async throws {
        let folder = ScratchFolder()
        try await with(Self.response(Self.gzip, "gzip")) { session, url async throws in
            let provider = Provider<Coded>(session: session, policy: .patient)
            let path = folder.file("raw")
            _ = try await provider.download(Coded(baseURL: url, contentDecoding: .none), to: path)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(Self.gzip))
        }
    }

    @Test("A response in an unknown coding is returned, and its body can be mapped if it is JSON")
    func unknown() async throws {
        for name in ["none", "UTF-8", "aws-chunked"] {
            try await with(Self.response(Self.plain, name)) { session, url async throws in
                let response = try await session.request(HTTPRequest(url: url + "/"))
                #expect(response.fields[.contentEncoding] == name)
                #expect(try response.map([String: Int].self) == ["a": 1])
            }
        }
        try await with(Self.response(Self.gzip, "zstd")) { session, url async throws in
            let response = try await session.request(HTTPRequest(url: url + "/"))
            #expect(Array(response.data) == Self.gzip)
            let error = #expect(throws: NetworkError.self) { try response.map([String: Int].self) }
            #expect(error?.reason == .responseContentCoding)
        }
    }

    @Test("An error response that cannot be decoded keeps its status and body")
    func mislabelledFailure() async throws {
        try await with(Self.response(Self.plain, "gzip", status: "422 No")) { session, url async throws in
            let response = try await session.request(HTTPRequest(url: url + "/"))
            #expect(response.statusCode == 422)
            #expect(Array(response.data) == Self.plain)
        }
    }
}
