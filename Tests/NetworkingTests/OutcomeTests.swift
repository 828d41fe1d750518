import HTTPModel
import JSONBytes
import Networking
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Tests the table of outcomes in the wire contract row by row.
@Suite("Outcome of a call", .noLeaks)
struct OutcomeTests {
    /// Makes one call and returns the result of `fragment()`.
    private func outcome(
        of answer: StubTransport.Answer, envelope: ResponseEnvelope = .none, allowsEmptyBody: Bool = false,
        headers: HTTPFields = HTTPFields(), policy: CallPolicy = CallPolicy()
    ) throws -> Probe<NetworkResult<JSONFragment>> {
        let time = VirtualTime()
        let transport = StubTransport(scheduler: time)
        transport.answer(answer)
        let provider = try Provider<Anything>(upstream: "any", transport: transport, policy: policy)
        let target = Anything(headers: headers, envelope: envelope, allowsEmptyBody: allowsEmptyBody)
        let probe = Probe(provider.rx.request(target).fragment().asNetworkResult())
        time.advance(by: .seconds(20))
        return probe
    }

    private func error(
        of answer: StubTransport.Answer, envelope: ResponseEnvelope = .none, allowsEmptyBody: Bool = false
    ) throws -> NetworkError {
        try #require(outcome(of: answer, envelope: envelope, allowsEmptyBody: allowsEmptyBody).value?.error)
    }

    // MARK: - requestErr

    @Test("A 4xx status is requestErr", arguments: [400, 401, 403, 404, 409, 410, 412, 422, 429, 451])
    func requestErr(status: Int) throws {
        let error = try error(of: .response(status, body: "nope"))
        #expect(error.kind == .requestErr)
        #expect(error.reason == .upstreamStatus)
        #expect(error.statusCode == status)
        #expect(error.response?.data.elementsEqual("nope".utf8) == true)
        #expect(error.upstreamMessage == nil)
    }

    @Test("A 4xx from an upstream with GenericResponse carries its message, code and data")
    func requestErrPayload() throws {
        let body = #"{"code":"W-1","responseMsg":"weight out of range","status":422,"data":{"max":300}}"#
        let error = try error(of: .response(422, body: body), envelope: .genericResponse)
        #expect(error.kind == .requestErr)
        #expect(error.upstreamMessage == "weight out of range")
        #expect(error.upstreamCode == "W-1")
        #expect(error.payload(as: [String: Int].self) == ["max": 300])
        #expect(!error.message.contains("weight"))
    }

    // MARK: - pathErr

    @Test("A body that exceeds the policy's JSON limits is decode_error in every envelope")
    func jsonLimits() throws {
        var policy = CallPolicy()
        policy.json = JSONLimits(maxDepth: 2, maxNumberLength: 3)
        let declared = ResponseEnvelope.declared(
            status: "/status", data: "/data", success: ["200"])
        for envelope in [ResponseEnvelope.none, .genericResponse, declared] {
            for (data, isRead) in [("[123]", true), ("[[1]]", false), ("1234", false)] {
                let answer = StubTransport.Answer.json(#"{"status":200,"data":\#(data)}"#)
                let value = try outcome(of: answer, envelope: envelope, policy: policy).value
                #expect(value?.error?.reason == (isRead ? nil : .decodeError), "\(data)")
            }
        }
    }

    @Test(
        "A body that is not JSON is decode_error",
        arguments: [
            "<html>", "", "{", "{\"a\":1}x", "\u{FEFF}\u{FEFF}{}", "nul", String(repeating: "[", count: 100),
        ])
    func notJSON(body: String) throws {
        let error = try error(of: .json(body))
        #expect(error.kind == .pathErr)
        #expect(error.reason == .decodeError)
        #expect(error.statusCode == 200)
        #expect(error.underlying is JSONError)
        #expect(!error.isRetryable)
    }

    @Test(
        "A body that is not a GenericResponse is decode_error",
        arguments: [
            "null", "3", "[]", "{}", #"{"status":"200","data":{}}"#, #"{"data":{}}"#,
            #"{"status":200.5,"data":{}}"#, "",
            "<html>",
        ])
    func notGeneric(body: String) throws {
        let error = try error(of: .json(body), envelope: .genericResponse)
        #expect(error.kind == .pathErr)
        #expect(error.reason == .decodeError)
    }

    @Test(
        "A success without data is missing_data",
        arguments: [#"{"status":200}"#, #"{"status":200,"data":null}"#])
    func missingData(body: String) throws {
        let error = try error(of: .json(body), envelope: .genericResponse)
        #expect(error.kind == .pathErr)
        #expect(error.reason == .missingData)
    }

    @Test(
        "A missing value at the requested path is missing_data, and a value of the wrong kind is decode_error"
    )
    func askedPath() throws {
        let time = VirtualTime()
        let transport = StubTransport(scheduler: time)
        transport.answer(.json(#"{"items":[{"a":1}]}"#))
        let provider = try Provider<Anything>(upstream: "any", transport: transport)
        let call = provider.rx.request(Anything())
        #expect(Probe(call.fragment(at: "/items/0/a")).value?.description == "1")
        let missing = Probe(call.fragment(at: "/items/1"))
        #expect(missing.networkError?.reason == .missingData)
        #expect(missing.networkError?.kind == .pathErr)
        let other = Probe(call.fragment(at: "/items", as: .object))
        #expect(other.networkError?.reason == .decodeError)
        #expect(Probe(call.fragment(at: "/items", as: .array)).value != nil)
    }

    @Test(
        "A 3xx status is unexpected_status, because redirects are not followed",
        arguments: [300, 301, 302, 303, 304, 307, 308])
    func redirects(status: Int) throws {
        let error = try error(of: .response(status, fields: [.location: "http://elsewhere.test/"]))
        #expect(error.kind == .pathErr)
        #expect(error.reason == .unexpectedStatus)
        #expect(error.statusCode == status)
    }

    @Test("A 206 is a success after a range request and unexpected_status otherwise")
    func partialContent() throws {
        let error = try error(of: .response(206, body: "{}"))
        #expect(error.kind == .pathErr)
        #expect(error.reason == .unexpectedStatus)
        let asked = try outcome(of: .response(206, body: "{}"), headers: [.range: "bytes=0-1"])
        #expect(asked.value?.value?.description == "{}")
    }

    // MARK: - serverErr

    @Test("A 5xx status is serverErr", arguments: [500, 501, 502, 503, 504, 507, 599])
    func serverErr(status: Int) throws {
        let error = try error(of: .response(status, body: "<html>"), envelope: .genericResponse)
        #expect(error.kind == .serverErr)
        #expect(error.reason == .upstreamStatus)
        #expect(error.statusCode == status)
        #expect(error.isRetryable == (502...504).contains(status))
    }

    @Test(
        "A failing status inside HTTP 200 is serverErr and counts as the status of the call",
        arguments: [400, 404, 500, 503])
    func innerStatus(status: Int) throws {
        let body = #"{"code":"E","message":"inner","status":\#(status),"data":{"a":1}}"#
        let error = try error(of: .json(body), envelope: .genericResponse)
        #expect(error.kind == .serverErr)
        #expect(error.reason == .upstreamStatus)
        #expect(error.statusCode == status)
        #expect(error.response?.statusCode == 200)
        #expect(error.upstreamMessage == "inner")
        #expect(error.payload?.description == #"{"a":1}"#)
    }

    @Test("The inner status is ignored without a declared envelope")
    func undeclared() throws {
        let probe = try outcome(of: .json(#"{"status":500}"#))
        #expect(probe.value?.value?.description == #"{"status":500}"#)
    }

    @Test(
        "A declared envelope locates status, data and message, and defines success")
    func declaredEnvelope() throws {
        let envelope = ResponseEnvelope.declared(
            status: "/response/header/resultCode", data: "/response/body",
            message: "/response/header/resultMsg", success: ["00"])
        let good = #"{"response":{"header":{"resultCode":"00","resultMsg":"NORMAL"},"body":{"t":3}}}"#
        #expect(try outcome(of: .json(good), envelope: envelope).value?.value?.description == #"{"t":3}"#)

        let bad = #"{"response":{"header":{"resultCode":"04","resultMsg":"HTTP_ERROR"}}}"#
        let failure = try error(of: .json(bad), envelope: envelope)
        #expect(failure.kind == .serverErr)
        #expect(failure.upstreamCode == "04")
        #expect(failure.upstreamMessage == "HTTP_ERROR")
        #expect(failure.statusCode == 200)

        #expect(try error(of: .json("{}"), envelope: envelope).reason == .decodeError)
        let empty = #"{"response":{"header":{"resultCode":"00"}}}"#
        #expect(try error(of: .json(empty), envelope: envelope).reason == .missingData)
    }

    // MARK: - networkFail

    @Test(
        "Without a complete response, the outcome is networkFail with the transport's reason",
        arguments: Self.networkReasons)
    func networkFail(reason: FailureReason) throws {
        let error = try error(of: .failure(reason))
        #expect(error.kind == .networkFail)
        #expect(error.reason == reason)
        #expect(error.statusCode == nil)
        #expect(error.response == nil)
        #expect(error.underlying is TransportError)
        #expect(!error.message.isEmpty)
    }

    private static let networkReasons: [FailureReason] = [
        .dnsError, .dnsTimeout, .destinationUnavailable, .connectionRefused, .connectionTimeout,
        .connectionTerminated, .connectionReadTimeout, .connectionWriteTimeout, .responseTimeout,
        .responseIncomplete, .tlsProtocolError, .tlsCertificateError, .tlsAlertReceived, .protocolError,
        .responseHeadSize, .responseBodySize, .responseContentCoding, .responseTransferCoding,
        .connectionLimitReached, .concurrencyLimit, .memoryLimit, .circuitOpen, .deadlineExceeded,
    ]

    @Test("A body that is still encoded is http_response_content_coding; an empty one is just empty")
    func contentCoding() throws {
        let error = try error(of: .response(200, fields: [.contentEncoding: "gzip"], body: "{}"))
        #expect(error.kind == .networkFail)
        #expect(error.reason == .responseContentCoding)
        #expect(error.message == "the body is in a content coding that is not decoded")
        let unknown = try self.error(of: .response(200, fields: [.contentEncoding: "x-own"], body: "\u{1}"))
        #expect(unknown.kind == .networkFail)
        #expect(unknown.reason == .responseContentCoding)
        let mixed = try self.error(of: .response(200, fields: [.contentEncoding: "none, ZSTD"], body: "{}"))
        #expect(mixed.reason == .responseContentCoding)
        let corrupt = try self.error(of: .failure(.responseContentCoding))
        #expect(corrupt.message == "the body cannot be decoded")
        for name in ["gzip", "x-own"] {
            let empty = try self.error(of: .response(200, fields: [.contentEncoding: name], body: ""))
            #expect(empty.kind == .pathErr)
            #expect(empty.reason == .decodeError)
            #expect(empty.message == "the body is empty")
        }
    }

    @Test(
        "JSON is read if Content-Encoding names no registered coding",
        arguments: ["identity", "Identity", "none", "UTF-8", "aws-chunked", "", "utf-8, identity"])
    func noContentCoding(name: String) throws {
        for envelope in [ResponseEnvelope.none, .genericResponse] {
            let body = #"{"status":200,"data":{"a":1}}"#
            let answer = StubTransport.Answer.response(200, fields: [.contentEncoding: name], body: body)
            #expect(try outcome(of: answer, envelope: envelope).value?.value != nil)
        }
    }

    @Test("The body of a failing response is read, whatever its Content-Encoding")
    func codedFailure() throws {
        let body = #"{"responseMsg":"no such day","status":404}"#
        let answer = StubTransport.Answer.response(404, fields: [.contentEncoding: "gzip"], body: body)
        let error = try error(of: answer, envelope: .genericResponse)
        #expect(error.reason == .upstreamStatus)
        #expect(error.upstreamMessage == "no such day")
    }

    // MARK: - noContent and success

    @Test("A 204 or 205 is noContent with a null fragment, whatever the envelope", arguments: [204, 205])
    func noContent(status: Int) throws {
        let probe = try outcome(of: .response(status), envelope: .genericResponse)
        #expect(probe.value?.value?.isNull == true)
    }

    @Test("An empty 2xx response is noContent only if the target allows an empty body")
    func emptyBody() throws {
        #expect(try error(of: .response(200)).reason == .decodeError)
        #expect(try outcome(of: .response(200), allowsEmptyBody: true).value?.value?.isNull == true)
        let unwrapped = try outcome(
            of: .json(#"{"status":200,"data":null}"#), envelope: .genericResponse, allowsEmptyBody: true)
        #expect(unwrapped.value?.value?.isNull == true)
    }

    @Test("A status of 204 in an envelope without data is noContent")
    func innerNoContent() throws {
        let probe = try outcome(of: .json(#"{"status":204}"#), envelope: .genericResponse)
        #expect(probe.value?.value?.isNull == true)
    }

    @Test(
        "A 2xx response with a body is a success and returns the same bytes without a copy",
        arguments: [200, 201, 202, 203])
    func success(status: Int) throws {
        let body = #"{"status":200,"data": {"n":1.0E+2,"s":"\u00e9"} ,"code":"OK"}"#
        let probe = try outcome(of: .response(status, body: body), envelope: .genericResponse)
        let fragment = try #require(probe.value?.value)
        #expect(fragment.description == #"{"n":1.0E+2,"s":"\u00e9"}"#)
        // The fragment is a slice of the original body.
        #expect(fragment.bytes.startIndex == 22)
    }
}
