import FoundationEssentials
import HTTPModel
import JSONBytes
import Networking
import NetworkingCompatibility
import NetworkingTesting
import Rx
import RxTesting
import Testing

extension ResponseEnvelope {
    /// {"response":{"header":{"resultCode":"00","resultMsg":"OK"},"body":{...}}}
    static let weatherAgency = ResponseEnvelope.declared(
        status: "/response/header/resultCode", data: "/response/body",
        message: "/response/header/resultMsg", success: ["00"])
}

private enum SkyAPI: TargetType {
    case now

    var baseURL: String { "http://sky.test" }
    var path: RequestPath { "/now" }
    var envelope: ResponseEnvelope { .weatherAgency }
}

/// A target without an envelope.
private struct Plain: TargetType {
    var baseURL: String { "http://plain.test" }
    var path: RequestPath { "/x" }
}

/// Contains the code of the article verbatim.
@Suite("Reading responses", .noLeaks)
struct ReadingResponsesTests {
    private static let envelope =
        #"{"code":"OK","status":200,"data":[{"name":"Kind whale","icon":"🐳"}]}"#

    private func tags(_ answers: StubTransport.Answer...) -> Provider<TagAPI> {
        let scripted = Scripted()
        scripted.transport.answer { _ in answers[0] }
        return Provider(transport: scripted.transport)
    }

    private func plain(_ answer: StubTransport.Answer) -> Provider<Plain> {
        Provider(transport: Scripted(answer).transport)
    }

    @Test("Operators check the status of a response")
    func statuses() {
        let tags = tags(.response(404, body: #"{"status":404,"data":[]}"#))
        let any = tags.rx.request(.list)  // a response of any status
        let ok = tags.rx.request(.list).checkStatusCode()  // 2xx, or it fails
        let some = tags.rx.request(.list).filter(statusCodes: [200, 404])  // 404 is read as a success too
        #expect(Seen(any).values.map(\.statusCode) == [404])
        #expect((Seen(ok).error as? NetworkError)?.kind == .requestErr)
        #expect(Seen(some.map([Tag].self)).values.map(\.count) == [0])
    }

    @Test("map decodes models, values at key paths and optional models")
    func models() {
        let tags = tags(.json(Self.envelope))
        let list = tags.rx.request(.list).map([Tag].self)  // fails with `noContent` for 204
        let maybe = tags.rx.request(.list).map([Tag]?.self)  // nil for 204
        let name = tags.rx.request(.list).map(String.self, atKeyPath: "0.name")
        #expect(Seen(list).values.first?.count == 1)
        #expect(Seen(maybe).values.first??.count == 1)
        #expect(Seen(name).values == ["Kind whale"])
        let none = self.tags(.response(204))
        #expect((Seen(none.rx.request(.list).map([Tag].self)).error as? NetworkError)?.kind == .noContent)
        #expect(Seen(none.rx.request(.list).map([Tag]?.self)).values.count == 1)
    }

    @Test("A response can be read as a fragment, as JSON or as text")
    func bytes() throws {
        let tags = tags(.json(Self.envelope))
        let data = tags.rx.request(.list).fragment()  // the `data` of the envelope, cut out
        let icon = tags.rx.request(.list).fragment(at: "/0/icon", as: .string)
        let whole = tags.rx.request(.list).mapJSON()  // the envelope too
        let text = tags.rx.request(.list).mapString()
        #expect(Seen(data).values.first?.description == #"[{"name":"Kind whale","icon":"🐳"}]"#)
        #expect(Seen(icon).values.first?.stringValue == "🐳")
        #expect(Seen(whole).values.first?[member: "code"]?.stringValue == "OK")
        #expect(Seen(text).values == [Self.envelope])
    }

    @Test("A request may turn content decoding off")
    func rawBody() {
        let raw = HTTPRequest(url: "http://files.test/page.gz").setContentDecoding(.none)
        let scripted = Scripted(.response(200, fields: [.contentEncoding: "gzip"], body: "coded"))
        let client = RequestClient(transport: scripted.transport)
        #expect(Seen(client.rx.request(raw)).values.first?.data.elementsEqual("coded".utf8) == true)
        #expect(scripted.transport.attempts.map(\.call.contentDecoding) == [.none])
    }

    @Test("map accepts a custom decoder")
    func decoder() {
        let plain = plain(.json(#"{"first_name":"Green"}"#))
        struct Person: Decodable, Sendable { var firstName: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let person = plain.rx.request(Plain()).map(Person.self, using: decoder)
        #expect(Seen(person).values.first?.firstName == "Green")
    }

    @Test("A custom envelope provides the code and the message of a failure")
    func envelope() throws {
        let sky = Provider<SkyAPI>(
            transport: Scripted(
                .json(#"{"response":{"header":{"resultCode":"03","resultMsg":"NODATA_ERROR"}}}"#)
            ).transport)
        let error = try #require(Seen(sky.rx.request(.now).fragment()).error as? NetworkError)
        let output = Output()
        output.print(error)
        output.print(error.upstreamCode ?? "", error.upstreamMessage ?? "")
        #expect(
            output.text == """
                SkyAPI GET /now: serverErr upstream_status: the upstream reported a failure in its envelope (attempts 1)
                03 NODATA_ERROR
                """)
    }

    @Test("judge treats a failing status in the envelope as a failure")
    func judge() {
        let tags = tags(.json(#"{"code":"CLOSED","message":"closed for today","status":503}"#))
        let judged = tags.rx.request(.list).judge([Tag].self)
        guard case .serverErr(let error)? = Seen(judged).values.first else {
            Issue.record("the failing status in the envelope was not a serverErr")
            return
        }
        #expect(error.statusCode == 503)
        #expect(error.response?.statusCode == 200)
        #expect(error.upstreamMessage == "closed for today")
    }

    @Test("A failure contains its status, message, body and retry information")
    func failure() throws {
        struct Refusal: Decodable, Sendable { var reason: String }
        let output = Output()
        let print: (Any...) -> Void = { output.print($0.map { "\($0)" }.joined(separator: " ")) }
        let plain = plain(.response(409, fields: ["Retry-After": "2"], body: #"{"reason":"taken"}"#))
        let error = try #require(
            Seen(plain.rx.request(Plain()).checkStatusCode()).error as? NetworkError)
        print(error.kind, error.reason, error.statusCode ?? 0)
        print(error.message)
        print(error.decode(Refusal.self)?.reason ?? "no such body")
        print(error.attempts, error.isRetryable, error.retryAfter ?? .zero)
        #expect(
            output.text == """
                requestErr upstream_status 409
                the upstream answered with status 409
                taken
                1 false 2.0 seconds
                """)
    }

    @Test("A failure converts to the error types of other clients")
    func views() throws {
        let error = try #require(
            Seen(plain(.response(500)).rx.request(Plain()).checkStatusCode()).error as? NetworkError)
        let moya: MoyaError = error.moyaError
        let session: SessionError = error.sessionError
        let router: RouterManagerError = error.routerManagerError
        let result: ResultError? = error.resultError
        guard case .statusCode(let response) = moya, case .serverError(code: 500) = session,
            case .statusCodeError(500)? = result
        else {
            Issue.record("\(moya) \(session) \(String(describing: result))")
            return
        }
        #expect(response.statusCode == 500)
        #expect(router.code == .isNotSuccessful)
        let list = plain(.response(500)).rx.request(Plain()).map([Tag].self)
            .asResult(catching: NetworkError.self)
            .map { $0.mapError(\.sessionError) }
        guard case .failure(.serverError(code: 500))? = Seen(list).values.first else {
            Issue.record("the failure was not converted to a SessionError")
            return
        }
    }
}
