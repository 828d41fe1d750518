import Dispatch
import HTTPModel
import Locking
import Networking
import NetworkingSession
import NetworkingTesting
import Rx
import RxTesting
import Testing

enum AccountAPI: TargetType {
    case refresh(String)

    var baseURL: String { "http://accounts.test" }
    var path: RequestPath { "/oauth/token" }
    var method: HTTPMethod { .post }
    var task: RequestTask {
        switch self {
        case .refresh(let token):
            .parameters(["grant_type": "refresh_token", "refresh_token": token], encoding: .form)
        }
    }
}

struct Tokens: Decodable, Sendable {
    var access_token: String
    var refresh_token: String
}

struct Stopwatch: PluginType {
    let slow: Duration
    let tell: @Sendable (String) -> Void

    func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {
        let elapsed = (try? result.get().elapsed) ?? .zero
        if elapsed > slow { tell("\(call.path) took \(elapsed)") }
    }
}

/// Contains the code of the article verbatim.
@Suite("Interceptors and plugins", .noLeaks)
struct InterceptorsAndPluginsTests {
    private let empty = #"{"status":200,"data":[]}"#

    @Test("An expired token is refreshed once, however many calls are rejected")
    func token() {
        let renewed = Scripted(.json(#"{"access_token":"t1","refresh_token":"r1"}"#, after: .seconds(1)))
        let scripted = Scripted()
        scripted.transport.answer { [empty] call in
            call.fields[.authorization] == "Bearer t1" ? .json(empty) : .response(401)
        }
        let accounts = Provider<AccountAPI>(transport: renewed.transport)
        let transport = scripted.transport
        let token = AuthenticationInterceptor(
            BearerAuthenticator { old in
                accounts.rx.request(.refresh(old.refreshToken ?? "")).map(Tokens.self).map {
                    BearerCredential(accessToken: $0.access_token, refreshToken: $0.refresh_token)
                }
            },
            credential: BearerCredential(accessToken: "t0", refreshToken: "r0"))
        let tags = Provider<TagAPI>(transport: transport, interceptor: token)
        let calls = (0..<5).map { _ in Seen(tags.rx.request(.list).map([Tag].self)) }
        renewed.time.advance(by: .seconds(1))
        scripted.time.advance(by: .seconds(1))
        #expect(calls.map(\.values.count) == [1, 1, 1, 1, 1])
        #expect(renewed.transport.attempts.count == 1)
        #expect(token.credential?.accessToken == "t1")
    }

    @Test("Interceptors made of closures run one after another")
    func closures() throws {
        let scripted = Scripted(.response(503), .json(empty))
        let transport = scripted.transport
        let named = Interceptor(adapt: { request in .just(request.setHeader("X-App", "diary/7")) })
        let patient = Interceptor(retry: { _, error, count in
            .just(error.statusCode == 503 && count < 2 ? .retryWithDelay(.seconds(1)) : .doNotRetry)
        })
        var policy = CallPolicy()
        policy.retry = .never  // the interceptor decides alone
        let tags = Provider<TagAPI>(
            transport: transport, policy: policy, interceptor: Interceptor([named, patient]))
        let seen = Seen(tags.rx.request(.list).map([Tag].self))
        scripted.time.advance(by: .seconds(1))
        #expect(seen.values.count == 1)
        #expect(scripted.transport.attempts.allSatisfy { $0.call.fields["X-App"] == "diary/7" })
        #expect(scripted.transport.attempts.count == 2)
    }

    @Test("The logger prints a curl line without secrets")
    func logger() async throws {
        let address = try Served(["PUT /weights/2026-11-20?dryRun=true": Served.json(empty)]).address
        let output = Output()
        let print: @Sendable (Any) -> Void = { output.print($0) }
        let diary = try Provider<DiaryAPI>(
            upstream: "diary", baseURL: address,
            plugins: [AccessTokenPlugin { "s3cr3t" }, NetworkLogger { print($0) }])
        _ = try await diary.request(.put(day: "2026-11-20", Weight(am: 72.5)))
        let printed = output.text.replacing(address, with: "http://127.0.0.1:8081")
        #expect(
            printed.replacing(#/[0-9.]+ ms/#, with: "1.9 ms") == """
                curl -X PUT --globoff 'http://127.0.0.1:8081/weights/2026-11-20?dryRun=true' -H 'Accept: application/json, */*;q=0.5' -H 'Accept-Encoding: gzip, deflate, br' --compressed -H 'User-Agent: Sluice' -H 'X-App: diary/7' -H 'Content-Type: application/json' -H 'Authorization: Bearer [REDACTED]' --data-raw '{"am":72.5}'
                200 from diary: PUT /weights/2026-11-20, 24 bytes, 1.9 ms, attempts 1
                """)
    }

    @Test("The recorder counts failures and keeps recent ones")
    func recorder() {
        let scripted = Scripted(.json("<html>"))
        let transport = scripted.transport
        let output = Output()
        let print: (Any...) -> Void = { output.print($0.map { "\($0)" }.joined(separator: " ")) }
        let recorder = ErrorRecorder()
        let tags = Provider<TagAPI>(transport: transport, plugins: [recorder])
        let shown = tags.rx.request(.list).map([Tag].self).catchAndReturn([])
        #expect(Seen(shown).values.map(\.count) == [0])
        print(recorder.counts[.pathErr] ?? 0, recorder.reasons[.decodeError] ?? 0)
        print(recorder.recent.last.map { "\($0.error)" } ?? "nothing")
        #expect(
            output.text == """
                1 1
                TagAPI GET /tags: pathErr decode_error: the body is not JSON: a byte that cannot start a value at byte 0 (attempts 1)
                """)
    }

    @Test("A custom plugin reports slow calls")
    func plugin() {
        let scripted = Scripted(.json(empty, after: .seconds(3)))
        let output = Output()
        let tags = Provider<TagAPI>(
            transport: scripted.transport,
            plugins: [Stopwatch(slow: .seconds(1)) { output.print($0) }])
        let seen = Seen(tags.rx.request(.list))
        scripted.time.advance(by: .seconds(3))
        #expect(seen.values.count == 1)
        #expect(output.lines == ["/tags took 3.0 seconds"])
    }
}
