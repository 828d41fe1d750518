import HTTPModel
import JSONBytes
import Networking
import NetworkingCompatibility
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Tests how failures convert to the error types of other clients.
@Suite("Conversion of failures to other error types", .noLeaks)
struct ViewTests {
    private struct Model: Decodable, Sendable {
        var name: String
    }

    private func error(_ answer: StubTransport.Answer, envelope: ResponseEnvelope = .none) throws
        -> NetworkError
    {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(answer)
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        let probe = Probe(provider.rx.request(Anything(method: .post, envelope: envelope)).map(Model.self))
        return try #require(probe.networkError)
    }

    @Test("A failing status converts to the status case of each error type", arguments: [404, 500])
    func status(code: Int) throws {
        let error = try error(.response(code, body: #"{"reason":"x"}"#))
        guard case .statusCode(let response) = error.moyaError else {
            return #expect(Bool(false), "\(error.moyaError)")
        }
        #expect(response.statusCode == code)
        guard case .statusCodeError(code) = error.resultError else { return #expect(Bool(false)) }
        guard case .serverError(code: code) = error.sessionError else { return #expect(Bool(false)) }
        let router = error.routerManagerError
        #expect(router.code == .isNotSuccessful)
        #expect(router.errorBody(as: [String: String].self) == ["reason": "x"])
        #expect(
            router.userInfo == [
                "upstream": "any", "path": "/x", "reason": "upstream_status", "statusCode": "\(code)",
            ])
    }

    @Test("A failing status inside a 200 has the inner status in every error")
    func innerStatus() throws {
        let error = try error(.json(#"{"status":503,"message":"m"}"#), envelope: .genericResponse)
        guard case .statusCodeError(503) = error.resultError else { return #expect(Bool(false)) }
        guard case .serverError(code: 503) = error.sessionError else { return #expect(Bool(false)) }
        guard case .statusCode = error.moyaError else { return #expect(Bool(false)) }
    }

    @Test("A body that is not JSON converts to the decoding case of each error type")
    func notJSON() throws {
        let error = try error(.json("<html>"))
        guard case .jsonMapping(let response) = error.moyaError else { return #expect(Bool(false)) }
        #expect(response.data.count == 6)
        guard case .jsonMappingError(let beneath) = error.resultError else { return #expect(Bool(false)) }
        #expect(beneath is JSONError)
        guard case .decodingError = error.sessionError else { return #expect(Bool(false)) }
        #expect(error.routerManagerError.code == .decodeFailed)
        #expect(error.routerManagerError.errorBody == nil)
    }

    @Test("JSON of the wrong shape converts to an error that contains the DecodingError")
    func shape() throws {
        let error = try error(.json(#"{"name":1}"#))
        guard case .objectMapping(let beneath, _) = error.moyaError else { return #expect(Bool(false)) }
        #expect(beneath is DecodingError)
        guard case .decodingError(error: let decoding) = error.sessionError else {
            return #expect(Bool(false))
        }
        #expect(decoding is DecodingError)
    }

    @Test("An envelope without data and an empty response convert to missingData")
    func nothing() throws {
        let missing = try error(.json(#"{"status":200}"#), envelope: .genericResponse)
        guard case .missingData = missing.sessionError else { return #expect(Bool(false)) }
        guard case .objectMapping = missing.moyaError else { return #expect(Bool(false)) }
        let none = try error(.response(204))
        guard case .noContent = none.resultError else { return #expect(Bool(false)) }
        guard case .missingData = none.sessionError else { return #expect(Bool(false)) }
    }

    @Test("A failure without a complete response converts to a transport error")
    func network() throws {
        let error = try error(.failure(.connectionRefused))
        guard case .underlying(let beneath, nil) = error.moyaError else { return #expect(Bool(false)) }
        #expect((beneath as? TransportError)?.reason == .connectionRefused)
        #expect(error.resultError == nil)
        guard case .transportError = error.sessionError else { return #expect(Bool(false)) }
        #expect(error.routerManagerError.code == .failedRequest)
    }

    @Test("An invalid request URL converts to requestMapping and invalidURL")
    func unbuilt() throws {
        let transport = StubTransport(scheduler: VirtualTime())
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        let error = try #require(Probe(provider.rx.request(Anything(path: "/\("..")"))).networkError)
        guard case .requestMapping = error.moyaError else { return #expect(Bool(false)) }
        guard case .invalidURL = error.sessionError else { return #expect(Bool(false)) }
        #expect(error.routerManagerError.code == .failedRequest)
    }

    private struct Bad: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "no"))
        }
    }

    @Test("The error of a request that cannot be built names the invalid part")
    func unbuiltParts() throws {
        func error(_ target: Anything) throws -> NetworkError { try Outgoing.refusal(target) }
        let url = try error(Anything(path: "/../a"))
        #expect(url.requestPart == .url)
        guard case .requestMapping = url.moyaError, case .invalidURL = url.sessionError else {
            return #expect(Bool(false))
        }
        let header = try error(Anything(headers: [.host: "x"]))
        #expect(header.requestPart == .headers)
        guard case .requestMapping = header.moyaError, case .transportError = header.sessionError else {
            return #expect(Bool(false))
        }
        let parameters = try error(
            Anything(task: .parameters(["a": Double.nan], encoding: .query)))
        #expect(parameters.requestPart == .parameters)
        guard case .parameterEncoding = parameters.moyaError, case .invalidURL = parameters.sessionError
        else {
            return #expect(Bool(false))
        }
        let body = try error(Anything(method: .post, task: .json(Bad())))
        #expect(body.requestPart == .body)
        guard case .encodableMapping(let beneath) = body.moyaError, case .transportError = body.sessionError
        else { return #expect(Bool(false)) }
        #expect(beneath is EncodingError)
        #expect(body.moyaError.underlying is EncodingError)
        for failure in [url, header, parameters, body] {
            #expect(failure.routerManagerError.code == .failedRequest)
            #expect(NetworkResult<Int>(failure).kind == .networkFail)
            #expect(failure.moyaError.response == nil)
        }
    }

    @Test("A redirect that is not followed is a failing status in every error")
    func redirect() throws {
        let error = try error(.response(302))
        guard case .statusCode(let response) = error.moyaError,
            case .statusCodeError(302) = error.resultError,
            case .serverError(code: 302) = error.sessionError
        else { return #expect(Bool(false)) }
        #expect(response === error.response)
        #expect(error.routerManagerError.code == .isNotSuccessful)
        #expect(error.routerManagerError.response === error.response)
    }

    @Test("The body of a failure can be decoded, whatever the status")
    func decode() throws {
        let refused = try error(.response(422, body: #"{"reason":"x"}"#))
        #expect(refused.decode([String: String].self) == ["reason": "x"])
        #expect(refused.decode([Int].self) == nil)
        #expect(try error(.response(500, body: "<html>")).decode([String: String].self) == nil)
        #expect(try error(.failure(.dnsError)).decode([String: String].self) == nil)
        #expect(try error(.json(#"{"name":1}"#)).decode([String: Int].self) == ["name": 1])
    }

    @Test("underlyingErrors lists each cause down to the first")
    func chain() throws {
        let network = try error(.failure(.connectionRefused))
        #expect(network.underlyingErrors.count == 1)
        #expect(network.underlyingErrors.first is TransportError)
        #expect(try error(.response(404)).underlyingErrors.isEmpty)
        let broken = try error(.json("{"))
        #expect(broken.underlyingErrors.first is JSONError)
        struct Outer: NestedError { let underlying: (any Error)? }
        let decoding = DecodingError.dataCorrupted(
            .init(codingPath: [], debugDescription: "", underlyingError: network))
        let chain = Outer(underlying: decoding).underlyingErrors
        #expect(chain.count == 3)
        #expect(chain[0] is DecodingError)
        #expect((chain[1] as? NetworkError)?.reason == .connectionRefused)
        #expect(chain[2] is TransportError)
    }

    @Test("The description of a failure shows no query, field or body")
    func description() throws {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.response(500, fields: [.setCookie: "s=secret"], body: "secret"))
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        let target = Anything(
            headers: [.authorization: "Bearer secret"], task: .parameters(["key": "secret"], encoding: .query)
        )
        let error = try #require(Probe(provider.rx.request(target).checkStatusCode()).networkError)
        #expect(
            "\(error)"
                == "any GET /x: serverErr upstream_status: the upstream answered with status 500 (attempts 1)"
        )
        #expect(!"\(try #require(error.response))".contains("secret"))
    }
}
