import HTTPModel
import JSONBytes
import Networking
import NetworkingCompatibility
import NetworkingTesting
import Rx
import RxTesting
import Testing

/// Tests how failures convert to each error type. Each row is a test case.
@Suite("Failures in each error type", .noLeaks)
struct FailureTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var answer: StubTransport.Answer
        var envelope = ResponseEnvelope.none
        var target = Anything()
        /// The expected cases of NetworkResult, ResultError, SessionError, MoyaError and RouterManagerError.
        var names: [String]

        var testDescription: String { names.joined(separator: " ") }
    }

    static var rows: [Row] {
        [
            Row(
                answer: .response(404, body: #"{"reason":"x"}"#),
                names: [
                    "requestErr", "statusCodeError(404)", "serverError(404)", "statusCode", "isNotSuccessful",
                ]),
            Row(
                answer: .response(429),
                names: [
                    "requestErr", "statusCodeError(429)", "serverError(429)", "statusCode", "isNotSuccessful",
                ]),
            Row(
                answer: .response(501),
                names: [
                    "serverErr", "statusCodeError(501)", "serverError(501)", "statusCode", "isNotSuccessful",
                ]),
            Row(
                answer: .response(999),
                names: [
                    "serverErr", "statusCodeError(999)", "serverError(999)", "statusCode", "isNotSuccessful",
                ]),
            Row(
                answer: .json(#"{"status":503,"message":"m"}"#), envelope: .genericResponse,
                names: [
                    "serverErr", "statusCodeError(503)", "serverError(503)", "statusCode", "isNotSuccessful",
                ]),
            Row(
                answer: .response(302),
                names: [
                    "pathErr", "statusCodeError(302)", "serverError(302)", "statusCode", "isNotSuccessful",
                ]),
            Row(
                answer: .json("<html>"),
                names: ["pathErr", "jsonMappingError", "decodingError", "jsonMapping", "decodeFailed"]),
            Row(
                answer: .response(200),
                names: ["pathErr", "jsonMappingError", "decodingError", "jsonMapping", "decodeFailed"]),
            Row(
                answer: .json(#"{"name":1}"#),
                names: ["pathErr", "jsonMappingError", "decodingError", "objectMapping", "decodeFailed"]),
            Row(
                answer: .json(#"{"status":200,"data":null}"#), envelope: .genericResponse,
                names: ["pathErr", "jsonMappingError", "missingData", "objectMapping", "decodeFailed"]),
            Row(
                answer: .response(204),
                names: ["noContent", "noContent", "missingData", "jsonMapping", "decodeFailed"]),
            Row(
                answer: .failure(.connectionRefused),
                names: ["networkFail", "-", "transportError", "underlying", "failedRequest"]),
            Row(
                answer: .failure(.tlsCertificateError),
                names: ["networkFail", "-", "transportError", "underlying", "failedRequest"]),
            Row(
                answer: .response(200, fields: [.contentEncoding: "compress"], body: "x"),
                names: ["networkFail", "-", "transportError", "underlying", "failedRequest"]),
            Row(
                answer: .json("{}"), target: Anything(path: "/\("..")"),
                names: ["networkFail", "-", "invalidURL", "requestMapping", "failedRequest"]),
            Row(
                answer: .json("{}"), target: Anything(headers: [.host: "x"]),
                names: ["networkFail", "-", "transportError", "requestMapping", "failedRequest"]),
            Row(
                answer: .json("{}"), target: Anything(task: .parameters(["a": Double.nan], encoding: .query)),
                names: ["networkFail", "-", "invalidURL", "parameterEncoding", "failedRequest"]),
            Row(
                answer: .json("{}"), target: Anything(method: .put, task: .json([Double.nan])),
                names: ["networkFail", "-", "transportError", "encodableMapping", "failedRequest"]),
        ]
    }

    @Test("A failure converts to the right case of each error type and keeps its response", arguments: rows)
    func row(row: Row) throws {
        let transport = StubTransport(scheduler: VirtualTime())
        transport.answer(row.answer)
        var policy = CallPolicy()
        policy.retry = .never
        let provider = try Provider<Anything>(upstream: "any", transport: transport, policy: policy)
        var target = row.target
        target.envelope = row.envelope
        struct Model: Decodable, Sendable { var name: String }
        let single = provider.rx.request(target).map(Model.self)
        let error = try #require(Probe(single).networkError)
        #expect(
            [
                "\(NetworkResult<Int>(error).kind)", error.resultError.map(name) ?? "-",
                name(error.sessionError),
                name(error.moyaError), "\(error.routerManagerError.code)",
            ] == row.names)
        #expect(Probe(single.asNetworkResult()).value?.kind.rawValue == row.names[0])
        #expect(error.moyaError.response === error.response)
        #expect(error.routerManagerError.response === error.response)
        #expect(error.routerManagerError.userInfo["upstream"] == "any")
    }

    private func name(_ error: ResultError) -> String {
        switch error {
        case .noContent: "noContent"
        case .statusCodeError(let code): "statusCodeError(\(code))"
        case .jsonMappingError: "jsonMappingError"
        }
    }

    private func name(_ error: SessionError) -> String {
        switch error {
        case .invalidURL: "invalidURL"
        case .transportError: "transportError"
        case .serverError(let code): "serverError(\(code))"
        case .missingData: "missingData"
        case .decodingError: "decodingError"
        }
    }

    private func name(_ error: MoyaError) -> String {
        switch error {
        case .statusCode: "statusCode"
        case .jsonMapping: "jsonMapping"
        case .stringMapping: "stringMapping"
        case .objectMapping: "objectMapping"
        case .encodableMapping: "encodableMapping"
        case .parameterEncoding: "parameterEncoding"
        case .requestMapping: "requestMapping"
        case .underlying: "underlying"
        }
    }
}
