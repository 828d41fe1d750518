import HTTPModel
import JSONBytes
import Networking
import NetworkingCompatibility
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Requests without a target", .noLeaks)
struct RequestClientTests {
    private struct Path: Decodable, Equatable {
        var count: Int
    }

    private let transport: StubTransport
    private let client: RequestClient
    private let time = VirtualTime()

    init() {
        transport = StubTransport(scheduler: time)
        client = RequestClient(transport: transport)
    }

    private let request = HTTPRequest(url: "http://places.test/daily/path")
        .setHttpMethod(.POST).setContentType(.json).setAuthToken("t").setHttpBody(["user": "u1"])

    private func outcome(_ answer: StubTransport.Answer) throws -> NetworkResult<Path> {
        transport.answer(answer)
        let probe = Probe(request.toDataTask(of: Path.self, by: client).asSingle())
        return try #require(probe.value)
    }

    @Test("An invalid URL fails the call, and nothing is sent")
    func badAddress() {
        let error = Probe(client.rx.request(HTTPRequest(url: "no address"))).networkError
        #expect(error?.reason == .requestError)
        if case .invalidURL? = error?.sessionError {} else { Issue.record("\(String(describing: error))") }
        #expect(transport.attempts.isEmpty)
    }

    @Test(
        "A data task emits one outcome and completes, whatever the response"
    )
    func outcomes() throws {
        guard case .networkFail = try outcome(.failure(.connectionReadTimeout)) else { throw Unexpected() }
        guard case .serverErr = try outcome(.response(501)) else { throw Unexpected() }
        guard case .pathErr = try outcome(.response(301)) else { throw Unexpected() }
        guard case .pathErr = try outcome(.json(#"{"status":200,"data":{}}"#)) else { throw Unexpected() }
        guard case .serverErr = try outcome(.json(#"{"status":500,"responseMsg":"no"}"#)) else {
            throw Unexpected()
        }
        guard case .noContent = try outcome(.response(204)) else { throw Unexpected() }
        let refused = try outcome(
            .response(400, body: #"{"status":400,"responseMsg":"bad","data":{"field":"time"}}"#))
        guard case .requestErr(let error) = refused else { throw Unexpected() }
        #expect(error.upstreamMessage == "bad")
        #expect(error.payload?.description == #"{"field":"time"}"#)
        guard case .success(let path) = try outcome(.json(#"{"status":200,"data":{"count":3}}"#)) else {
            throw Unexpected()
        }
        #expect(path == Path(count: 3))
    }

    private struct Unexpected: Error {}

    @Test("Nothing is sent before subscription, and disposal cancels the call")
    func cold() {
        transport.answer(.json("{}", after: .seconds(1)))
        let task = request.toDataTask(of: Path.self, by: client)
        #expect(transport.attempts.isEmpty)
        let subscription = task.subscribe()
        #expect(transport.inFlight == 1)
        subscription.dispose()
        #expect(transport.inFlight == 0)
        #expect(time.pending == 0)
    }

    @Test("The request is sent as it was built")
    func sent() throws {
        transport.answer(.json("{}"))
        _ = Probe(client.rx.request(request))
        let call = try #require(transport.attempts.first?.call)
        #expect(call.method == .post)
        #expect(call.path == "/daily/path")
        #expect(call.fields[.authorization] == "Bearer t")
        #expect(call.fields[.contentType] == "application/json")
        #expect(call.body.inMemory.map { String(decoding: $0, as: UTF8.self) } == #"{"user":"u1"}"#)
    }

    @Test("response accepts any status, while data and json accept only successes")
    func rxCocoaForms() throws {
        transport.answer(.response(404, body: "{}"))
        let (response, data) = try #require(Probe(client.rx.response(request: request).asSingle()).value)
        #expect(response.statusCode == 404)
        #expect(data.elementsEqual("{}".utf8))
        #expect(Probe(client.rx.data(request: request).asSingle()).networkError?.statusCode == 404)
        #expect(Probe(client.rx.json(request: request).asSingle()).networkError?.statusCode == 404)
        transport.answer(.json("[1]"))
        #expect(Probe(client.rx.json(request: request).asSingle()).value?.description == "[1]")
        #expect(Probe(client.rx.data(request: request).asSingle()).value?.count == 3)
    }
}
