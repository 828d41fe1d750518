import FoundationEssentials
import HTTPModel
import JSONBytes
import JSONCoding
import Locking
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

@Suite("Operators on responses", .noLeaks)
struct OperatorTests {
    private struct Tag: Codable, Equatable, Sendable {
        var name: String
    }

    private func request(
        _ answer: StubTransport.Answer, envelope: ResponseEnvelope = .none, plugins: [any PluginType] = []
    ) throws -> Single<Response> {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(answer)
        let provider = try Provider<Anything>(upstream: "any", transport: transport, plugins: plugins)
        return provider.rx.request(Anything(envelope: envelope))
    }

    @Test("checkStatusCode fails for a failing status and accepts 204")
    func checkStatusCode() throws {
        let failed = Probe(try request(.response(404)).checkStatusCode())
        #expect(failed.networkError?.kind == .requestErr)
        #expect(
            Probe(try request(.response(302)).checkStatusCode()).networkError?.reason == .unexpectedStatus)
        #expect(Probe(try request(.response(204)).checkStatusCode()).value?.statusCode == 204)
        #expect(Probe(try request(.response(201)).checkStatusCode()).value?.statusCode == 201)
    }

    @Test("Without an operator, a response of any status is a value, as in Moya")
    func unjudged() throws {
        #expect(Probe(try request(.response(404))).value?.statusCode == 404)
        #expect(Probe(try request(.response(500))).value?.statusCode == 500)
    }

    @Test("filter fails for any other status and puts the response into the error")
    func filter() throws {
        let failed = Probe(try request(.response(500, body: "x")).filter(statusCodes: 200...299))
        #expect(failed.networkError?.statusCode == 500)
        #expect(failed.networkError?.response?.data.count == 1)
        #expect(
            Probe(try request(.response(200)).filter(statusCode: 201)).networkError?.reason
                == .unexpectedStatus)
        #expect(
            Probe(try request(.response(301)).filterSuccessfulStatusCodes()).networkError?.statusCode == 301)
        #expect(
            Probe(try request(.response(301)).filterSuccessfulStatusAndRedirectCodes()).value?.statusCode
                == 301)
        #expect(Probe(try request(.response(404)).filterSuccessfulStatusAndRedirectCodes()).value == nil)
    }

    @Test("A status that a filter accepts counts as a success")
    func acceptedStatus() throws {
        let found = Probe(
            try request(.response(404, body: #"{"name":"none"}"#)).filter(statusCodes: [200, 404]).map(
                Tag.self))
        #expect(found.value == Tag(name: "none"))
        let refused = Probe(try request(.response(404, body: #"{"name":"none"}"#)).map(Tag.self))
        #expect(refused.networkError?.kind == .requestErr)
    }

    @Test("map fails with DecodingError for a wrong shape and with JSONError for invalid JSON")
    func mapFails() throws {
        let shape = Probe(try request(.json(#"{"title":"x"}"#)).map(Tag.self))
        #expect(shape.networkError?.kind == .pathErr)
        #expect(shape.networkError?.reason == .decodeError)
        #expect(shape.networkError?.underlying is DecodingError)
        #expect(Probe(try request(.json("<")).map(Tag.self)).networkError?.underlying is JSONError)
        let path = Probe(try request(.json(#"{"data":{}}"#)).map(Tag.self, atKeyPath: "data.tag"))
        #expect(path.networkError?.reason == .missingData)
    }

    @Test("map decodes the data, optionally at a key path or with a custom decoder")
    func map() throws {
        let tags = #"{"data":{"tags":[{"name":"a"},{"name":"b"}]}}"#
        #expect(Probe(try request(.json(#"{"name":"a"}"#)).map(Tag.self)).value == Tag(name: "a"))
        let list = Probe(try request(.json(tags)).map([Tag].self, atKeyPath: "data.tags"))
        #expect(list.value == [Tag(name: "a"), Tag(name: "b")])
        #expect(Probe(try request(.json(tags)).mapString(atKeyPath: "data.tags.1.name")).value == "b")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Long: Decodable, Sendable { var longName: String }
        let own = Probe(try request(.json(#"{"long_name":"x"}"#)).map(Long.self, using: decoder))
        #expect(own.value?.longName == "x")
        var ours = JSONBytesDecoder()
        ours.keyDecodingStrategy = .convertFromSnakeCase
        let response = Probe(try request(.json(#"{"long_name":"x"}"#)).map(Long.self, using: ours))
        #expect(response.value?.longName == "x")
    }

    @Test("JSONBytesDecoder decodes a stream of data like JSONDecoder")
    func decodeData() {
        let data = Observable.just(Data(#"{"name":"a"}"#.utf8))
        for stream in [
            data.decode(type: Tag.self, decoder: JSONBytesDecoder()),
            data.decode(type: Tag.self, decoder: JSONDecoder()),
        ] {
            #expect(Probe(stream.asSingle()).value == Tag(name: "a"))
        }
    }

    @Test("map unwraps a declared envelope, or decodes it whole as a GenericResponse")
    func mapEnvelope() throws {
        let body = #"{"code":"OK","responseMsg":"fine","status":200,"data":[{"name":"a"}]}"#
        #expect(
            Probe(try request(.json(body), envelope: .genericResponse).map([Tag].self)).value == [
                Tag(name: "a")
            ])
        let whole = Probe(try request(.json(body)).map(GenericResponse<[Tag]>.self)).value
        #expect(whole == GenericResponse(code: "OK", message: "fine", status: 200, data: [Tag(name: "a")]))
    }

    @Test("Without content, map to a model fails as noContent, and map to an optional model is nil")
    func mapNothing() throws {
        let model = Probe(try request(.response(204)).map(Tag.self))
        #expect(model.networkError?.kind == .noContent)
        #expect(model.networkError?.reason == .missingData)
        let optional = Probe(try request(.response(204)).map(Tag?.self))
        #expect(optional.values.count == 1)
        #expect(optional.values == [nil])
        #expect(Probe(try request(.json(#"{"name":"a"}"#)).map(Tag?.self)).values == [Tag(name: "a")])
    }

    @Test("The operators are also available on Observable")
    func onObservable() throws {
        let events = Lock<[String]>([])
        let body = StubTransport.Answer.json(#"{"status":200,"data":{"name":"a"}}"#)
        let response = try request(body, envelope: .genericResponse).asObservable()
        let bag = DisposeBag()
        response.checkStatusCode().filterSuccessfulStatusCodes().fragment()
            .subscribe { event in events.withLock { $0.append("\(event)") } }.disposed(by: bag)
        response.map(Tag.self).map(\.name).asNetworkResult()
            .subscribe(onNext: { result in events.withLock { $0.append("\(result.value ?? "")") } }).disposed(
                by: bag)
        #expect(events.withLock { $0.last } == "a")
        #expect(events.withLock { $0.count } == 3)
    }

    @Test("asNetworkResult turns every outcome into a value")
    func networkResult() throws {
        let cases: [(StubTransport.Answer, OutcomeKind)] = [
            (.json(#"{"name":"a"}"#), .success), (.response(204), .noContent), (.response(404), .requestErr),
            (.json("<"), .pathErr), (.response(500), .serverErr), (.failure(.dnsError), .networkFail),
        ]
        for (answer, kind) in cases {
            let probe = Probe(try request(answer).map(Tag.self).asNetworkResult())
            let result = try #require(probe.value)
            #expect(result.kind == kind)
            #expect((result.error == nil) == (kind == .success || kind == .noContent))
            #expect(result.map(\.name).value == (kind == .success ? "a" : nil))
        }
    }

    @Test("asNetworkResult passes on errors other than NetworkError")
    func foreignError() throws {
        struct Mine: Error {}
        let probe = Probe(try request(.json("{}")).map { _ -> Int in throw Mine() }.asNetworkResult())
        #expect(probe.error is Mine)
    }

    // MARK: - Repeated subscriptions

    @Test("retry after fragment() repeats a call that fails to decode, and retry before it does not")
    func fragmentTriedAgain() throws {
        for (isAfter, attempts) in [(true, 3), (false, 1)] {
            let bench = try Bench()
            bench.transport.answer(.json("<"))
            let call = bench.provider.rx.request(.day("a"))
            let probe = Probe(isAfter ? call.fragment().retry(3) : call.retry(3).fragment())
            #expect(probe.networkError?.reason == .decodeError)
            #expect(bench.transport.attempts.count == attempts)
        }
        let bench = try Bench()
        bench.transport.answer(.failure(.dnsError), .json(#"{"status":200,"data":[1]}"#))
        let probe = Probe(bench.provider.rx.request(.day("a")).retry(2).fragment())
        #expect(probe.value?.description == "[1]")
    }

    @Test("Each subscription to a fragment sends its own call")
    func fragmentTwice() throws {
        let bench = try Bench()
        bench.transport.answer(.json(#"{"status":200,"data":[1]}"#))
        let call = bench.provider.rx.request(.day("a"))
        let fragment = call.fragment()
        for _ in 1...2 { #expect(Probe(fragment).value?.description == "[1]") }
        #expect(Probe(call).value?.statusCode == 200)
        #expect(bench.transport.attempts.count == 3)
    }

    // MARK: - Plugins

    private final class Log: PluginType {
        let lines = Lock<[String]>([])

        func willSend(_ call: TransportCall, attempt: Int) {
            lines.withLock { $0.append("send \(attempt) \(call.path)") }
        }

        func didReceive(_ result: Result<Response, NetworkError>, call: TransportCall) {
            let text = (try? result.get().statusCode.description) ?? "failure"
            lines.withLock { $0.append("receive \(text)") }
        }

        func didFail(_ error: NetworkError, call: TransportCall) {
            lines.withLock { $0.append("fail \(error.reason)") }
        }
    }

    @Test("A plugin sees each attempt, the end of the call, and its failure")
    func plugin() throws {
        let log = Log()
        let bench = try Bench(plugins: [log])
        bench.transport.answer(.failure(.connectionTerminated), .json("<"))
        let probe = Probe(bench.provider.rx.request(.day("a")).fragment())
        bench.time.advance(by: .seconds(1))
        #expect(probe.error != nil)
        #expect(
            log.lines.withLock { $0 } == [
                "send 1 /food-diary/weights/a", "send 2 /food-diary/weights/a", "receive 200",
                "fail decode_error",
            ])
    }

    @Test("A plugin does not see the end of a disposed call")
    func pluginAfterDisposal() throws {
        let log = Log()
        let bench = try Bench(plugins: [log])
        bench.transport.answer(.silence)
        bench.provider.rx.request(.day("a")).subscribe().dispose()
        #expect(log.lines.withLock { $0 } == ["send 1 /food-diary/weights/a"])
    }

    @Test("The recorder gets every network, status and decoding failure once")
    func recorder() throws {
        let recorded = Lock<[FailureReason]>([])
        let recorder = ErrorRecorder { error in recorded.withLock { $0.append(error.reason) } }
        for answer in [
            StubTransport.Answer.failure(.dnsError), .response(404), .json("<"), .json(#"{"name":3}"#),
            .response(204),
            .json(#"{"name":"a"}"#),
        ] {
            _ = Probe(try request(answer, plugins: [recorder]).map(Tag.self))
        }
        #expect(
            recorded.withLock { $0 } == [
                .dnsError, .upstreamStatus, .decodeError, .decodeError, .missingData,
            ])
    }
}
