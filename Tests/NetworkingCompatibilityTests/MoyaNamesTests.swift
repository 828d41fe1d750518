import Dispatch
import Foundation
import Locking
import NetworkingCompatibility
import NetworkingTesting
import Testing

private enum Users: Moya.TargetType {
    case list

    var baseURL: String { "http://users.test" }
    var path: RequestPath { "/users" }
    var method: Moya.Method { .get }
    var task: Moya.Task { .requestPlain }
    var timeout: Duration? { .seconds(3) }
}

private enum Photos: TargetType {
    case upload(Data, note: String)
    case file(URL)

    var baseURL: String { "http://photos.test" }
    var path: RequestPath { "/photos" }
    var method: Moya.Method { .post }
    var headers: HTTPFields { ["X-App": "diary"] }

    var task: Moya.Task {
        switch self {
        case .upload(let photo, let note):
            .uploadMultipart([
                MultipartFormData(
                    provider: .data(photo), name: "photo", fileName: "a.jpg", mimeType: "image/jpeg"),
                MultipartFormData(provider: .data(Data(note.utf8)), name: "note"),
            ])
        case .file(let url): .uploadMultipart([MultipartFormData(provider: .file(url), name: "photo")])
        }
    }
}

/// Collects what a logger prints, an event each.
private final class Printed: Sendable {
    private let record = Lock<[[String]]>([])

    func append(_ items: [String]) { record.withLock { $0.append(items) } }

    /// Returns the events since the last call.
    func take() -> [[String]] {
        record.withLock { events in
            defer { events = [] }
            return events
        }
    }
}

/// This file imports the client only by `NetworkingCompatibility`.
@Suite("Moya's names")
struct MoyaNamesTests {
    private let transport = StubTransport(scheduler: ManualScheduler())
    private let printed = Printed()

    init() { transport.answer(.json(#"["GREEN"]"#)) }

    private func logger(_ options: NetworkLoggerPlugin.Configuration.LogOptions) -> NetworkLoggerPlugin {
        NetworkLoggerPlugin(
            configuration: .init(
                output: { [printed] _, items in printed.append(items) }, logOptions: options))
    }

    @Test("A provider of MultiTarget sends each target as a provider of its own type does")
    func multiTarget() async throws {
        let provider = MoyaProvider<MultiTarget>(transport: transport)
        let users = try await provider.rx.request(MultiTarget(Users.list)).map([String].self).value
        #expect(users == ["GREEN"])
        _ = try await provider.rx.request(.target(Photos.upload(Data([1]), note: "x"))).value
        let sent = transport.attempts.map { $0.call }
        let own = MoyaProvider<Photos>(transport: transport)
        _ = try await own.rx.request(.upload(Data([1]), note: "x")).value
        #expect(sent.count == 2)
        #expect(sent[0].curlCommand().hasPrefix("curl --globoff 'http://users.test/users'"))
        #expect(sent[1].fields["X-App"] == "diary")
        let last = try #require(transport.attempts.last?.call)
        #expect(sent[1].path == last.path)
        #expect(sent[1].method == last.method)
        #expect(MultiTarget(Users.list).timeout == .seconds(3))
    }

    @Test("A list of MultipartFormData is sent as one form")
    func multipart() async throws {
        let provider = MoyaProvider<Photos>(transport: transport)
        _ = try await provider.rx.request(.upload(Data("jpeg".utf8), note: "lunch")).value
        let call = try #require(transport.attempts.last?.call)
        let text = String(decoding: try call.body.collect(), as: UTF8.self)
        #expect(call.fields["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(text.contains(#"name="photo"; filename="a.jpg""#))
        #expect(text.contains("Content-Type: image/jpeg\r\n\r\njpeg\r\n"))
        #expect(text.contains("name=\"note\"\r\n\r\nlunch\r\n"))
        #expect(text.components(separatedBy: "name=").count == 4)
    }

    @Test("A URL that is not a file's fails the call instead of reading a file of that path")
    func remoteFile() async throws {
        let provider = MoyaProvider<Photos>(transport: transport)
        let url = try #require(URL(string: "https://photos.test/etc/hostname"))
        let error = await #expect(throws: NetworkError.self) {
            _ = try await provider.rx.request(.file(url)).value
        }
        #expect(error?.reason == .requestError)
        #expect(transport.attempts.isEmpty)
    }

    @Test("The body is Foundation's Data, and progress says by a Boolean whether it is complete")
    func types() async throws {
        let provider = MoyaProvider<Users>(transport: transport)
        let response = try await provider.rx.request(.list).value
        let body: Data = response.data
        #expect(body == Data(#"["GREEN"]"#.utf8))
        let names = try JSONDecoder().decode([String].self, from: response.data)
        #expect(names == ["GREEN"])
        let steps = try await provider.rx.requestWithProgress(.list).toArray().value
        let flags: [Bool] = steps.map { $0.completed }
        #expect(flags.last == true)
        #expect(flags.dropLast().allSatisfy { !$0 })
        #expect(flags.count > 1)
    }

    @Test("A result arrives on the queue that the call names")
    func queue() async throws {
        let queue = DispatchQueue(label: "callbacks")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let provider = MoyaProvider<Users>(transport: transport)
        let isOnQueue = try await provider.rx.request(.list, callbackQueue: queue)
            .map { _ in DispatchQueue.getSpecific(key: key) ?? false }.value
        #expect(isOnQueue)
        let steps = try await provider.rx.requestWithProgress(.list, callbackQueue: queue)
            .map { _ in DispatchQueue.getSpecific(key: key) ?? false }.toArray().value
        #expect(!steps.isEmpty)
        #expect(steps.allSatisfy { $0 })
        let response = try await provider.rx.request(.list, callbackQueue: nil).value
        #expect(response.statusCode == 200)
    }

    @Test("The logger prints requests without bodies by default, and everything if it is verbose")
    func logs() async throws {
        let secret = "Bearer s3cr3t"
        func lines(_ plugin: NetworkLoggerPlugin) async throws -> [[String]] {
            let provider = MoyaProvider<Photos>(
                transport: transport, plugins: [AccessTokenPlugin { "s3cr3t" }, plugin])
            _ = try await provider.rx.request(.upload(Data("jpeg".utf8), note: "lunch")).value
            return printed.take()
        }
        let short = try await lines(logger(.default))
        #expect(short.count == 2)
        #expect(short.first?.first?.hasPrefix("curl -X POST --globoff 'http://photos.test/photos'") == true)
        #expect(short.first?.first?.contains("bytes omitted") == true)
        #expect(short.last?.count == 1)
        #expect(short.last?.first?.contains(" 9 bytes, ") == true)

        let long = try await lines(logger(.verbose))
        #expect(long.first?.first?.contains("--data-binary @-") == true)
        #expect(long.last?.last == #"  ["GREEN"]"#)
        #expect(!(short + long).joined().contains { $0.contains(secret) })

        let silent = try await lines(logger(.errorResponseBody))
        #expect(silent.count == 1)
        #expect(silent.first?.count == 1)
        #expect(NetworkLoggerPlugin(verbose: true).configuration.logOptions == .verbose)
        #expect(NetworkLoggerPlugin.default.configuration.logOptions == .default)
    }

    @Test("The body of a failing response is logged by its own option")
    func failures() async throws {
        transport.answer(.response(404, body: "gone"))
        let provider = MoyaProvider<Users>(transport: transport, plugins: [logger(.errorResponseBody)])
        await #expect(throws: NetworkError.self) {
            _ = try await provider.rx.request(.list).filterSuccessfulStatusCodes().value
        }
        let events = printed.take()
        #expect(events.first?.last == "  gone")
        #expect(events.last?.first?.contains("404") == true)
    }
}
