import HTTPModel
import JSONBytes
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Tests how the HTTP status and the status in the envelope decide the outcome.
@Suite("Judging a GenericResponse", .noLeaks)
struct JudgeTests {
    private struct Tag: Codable, Equatable, Sendable {
        var name: String
    }

    private func judge(
        _ answer: StubTransport.Answer, allowsEmptyBody: Bool = false, plugins: [any PluginType] = []
    ) throws -> NetworkResult<GenericResponse<[Tag]>> {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(answer)
        let provider = try Provider<Anything>(upstream: "tags", transport: transport, plugins: plugins)
        let single = provider.rx.request(Anything(allowsEmptyBody: allowsEmptyBody)).judge([Tag].self)
        return try #require(Probe(single).value)
    }

    @Test("A network failure fails the stream")
    func network() throws {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(.failure(.connectionRefused))
        var policy = CallPolicy()
        policy.retry = .never
        let provider = try Provider<Anything>(upstream: "tags", transport: transport, policy: policy)
        #expect(Probe(provider.rx.request(Anything()).judge([Tag].self)).networkError?.kind == .networkFail)
    }

    @Test(
        "A failing status inside a 200 is a failure with the envelope's message",
        arguments: [404, 500, 301])
    func innerStatus(status: Int) throws {
        let result = try judge(
            .json(#"{"code":"E1","message":"m","status":\#(status),"data":[{"name":"a"}]}"#))
        guard case .serverErr(let error) = result else { return #expect(Bool(false), "\(result.kind)") }
        #expect(error.statusCode == status)
        #expect(error.response?.statusCode == 200)
        #expect(error.upstreamCode == "E1")
        #expect(error.upstreamMessage == "m")
        #expect(error.payload(as: [Tag].self) == [Tag(name: "a")])
    }

    @Test(
        "A failing HTTP status decides the outcome, and the error has the envelope's message if there is one")
    func outerStatus() throws {
        let body = #"{"status":404,"responseMsg":"none"}"#
        guard case .requestErr(let error) = try judge(.response(404, body: body)) else {
            return #expect(Bool(false))
        }
        #expect(error.upstreamMessage == "none")
        guard case .serverErr = try judge(.response(501, body: "<html>")) else { return #expect(Bool(false)) }
        guard case .pathErr(let moved) = try judge(.response(302, body: body)) else {
            return #expect(Bool(false))
        }
        #expect(moved.reason == .unexpectedStatus)
    }

    @Test(
        "A body that is not a GenericResponse, or has data of the wrong shape, is a pathErr",
        arguments: ["", "<html>", "[]", "{}", #"{"status":"200"}"#, #"{"status":200,"data":{"name":"a"}}"#])
    func shape(body: String) throws {
        guard case .pathErr(let error) = try judge(.json(body)) else { return #expect(Bool(false)) }
        #expect(error.reason == .decodeError)
    }

    @Test("An empty response is noContent")
    func nothing() throws {
        #expect(try judge(.response(204)).kind == .noContent)
        #expect(try judge(.response(200), allowsEmptyBody: true).kind == .noContent)
    }

    @Test("A success returns the complete envelope, with or without data")
    func success() throws {
        let result = try judge(.json(#"{"code":"OK","message":"m","status":200,"data":[{"name":"a"}]}"#))
        #expect(
            result.value == GenericResponse(code: "OK", message: "m", status: 200, data: [Tag(name: "a")]))
        for body in [#"{"status":201}"#, #"{"status":201,"data":null}"#] {
            #expect(try judge(.json(body)).value == GenericResponse(status: 201))
        }
    }

    @Test("A plugin receives each failure once")
    func plugins() throws {
        let heard = Lock(0)
        let recorder = ErrorRecorder { _ in heard.withLock { $0 += 1 } }
        _ = try judge(.json(#"{"status":500}"#), plugins: [recorder])
        _ = try judge(.json(#"{"status":200}"#), plugins: [recorder])
        #expect(heard.withLock { $0 } == 1)
    }
}
