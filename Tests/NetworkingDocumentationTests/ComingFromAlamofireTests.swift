import Dispatch
import FoundationEssentials
import HTTPModel
import Networking
import NetworkingCompatibility
import NetworkingSession
import NetworkingTesting
import Rx
import RxTesting
import TestSupport
import Testing

private struct Answer: Decodable, Sendable { var url: String }
private struct Login: Encodable, Sendable { var email: String, password: String }

/// Contains the code of the article verbatim.
@Suite("Coming from Alamofire")
struct ComingFromAlamofireTests {
    private func served() throws -> Served {
        try Served([
            "GET /get": Served.json(#"{"url":"/get"}"#), "POST /login": Served.json(#"{"url":"/login"}"#),
        ])
    }

    @Test("A response is validated and decoded")
    func decodable() async throws {
        let address = try served().address
        let answer = try await Session.shared.rx
            .request(HTTPRequest(url: "\(address)/get"))
            .validate()
            .map(Answer.self)
            .value
        #expect(answer.url == "/get")
    }

    @Test("Parameters are encoded as by Alamofire")
    func parameters() async throws {
        let served = try Served(["GET /get?flag=1&tag%5B%5D=a&tag%5B%5D=b": Served.json(#"{"url":"/get"}"#)])
        let address = served.address
        let request = HTTPRequest(url: "\(address)/get")
            .setParameters(["tag": ["a", "b"], "flag": true], encoding: URLEncoding.default)
        let answer = try await Session.shared.request(request).validate().map(Answer.self)
        #expect(answer.url == "/get")
    }

    @Test("A model is sent as JSON or as a form")
    func encodable() async throws {
        let served = try served()
        let address = served.address
        let login = Login(email: "a@b.test", password: "x")
        let json = HTTPRequest(url: "\(address)/login", method: .post).setHttpBody(login)
        let form = HTTPRequest(url: "\(address)/login", method: .post)
            .setHttpBody(login, encoder: URLEncodedFormEncoder())
        let answer = try await Session.shared.request(json).validate().map(Answer.self)
        _ = try await Session.shared.request(form)
        #expect(answer.url == "/login")
        #expect(served.upstream.requests.last?.hasSuffix("email=a%40b.test&password=x") == true)
        #expect(served.upstream.requests.first?.hasSuffix(#"{"email":"a@b.test","password":"x"}"#) == true)
    }

    @Test("An interceptor adapts and retries")
    func interceptor() throws {
        let scripted = Scripted(.response(500), .response(200))
        struct Patience: RequestInterceptor {
            func adapt(_ request: HTTPRequest) -> Single<HTTPRequest> {
                .just(request.setHeader("X-App", "diary/7"))
            }

            func retry(
                _ request: HTTPRequest, dueTo error: NetworkError, retryCount: Int
            ) -> Single<RetryResult> {
                .just(error.statusCode == 500 && retryCount < 2 ? .retry : .doNotRetry)
            }
        }
        let client = RequestClient(transport: scripted.transport, interceptor: Patience())
        let seen = Seen(client.rx.request(HTTPRequest(url: "http://a.test/x")))
        #expect(seen.values.map(\.statusCode) == [200])
        #expect(scripted.transport.attempts.count == 2)
    }

    @Test("A session with custom settings sends and logs a request")
    func session() async throws {
        let address = try served().address
        let output = Output()
        let print: @Sendable (String) -> Void = { output.print($0) }
        var configuration = Session.Configuration()
        configuration.policy.totalTimeout = .seconds(5)
        configuration.policy.redirects = .follow(hosts: ["*.example.com"])
        configuration.plugins = [NetworkLogger { print($0) }]
        configuration.cookies = CookieJar()
        let session = try Session(configuration)
        defer { session.close() }
        let response = try await session.request(HTTPRequest(url: "\(address)/get"))
        #expect(response.statusCode == 200)
        #expect(output.lines.count == 2)
    }
}
