internal import Sluice

/// The weather agency's envelope: the outcome of a call is a result code, with HTTP status 200.
///
///     {"response":{"header":{"resultCode":"00","resultMsg":"NORMAL_SERVICE"},"body":{...}}}
struct AgencyEnvelope: AnswerFormat {
    static let noData = ErrorCode("NO_DATA", status: .notFound)

    func format(_ answer: AnswerFacts) -> FormattedAnswer {
        switch answer.code {
        case "OK":
            let header = Self.header("00", "NORMAL_SERVICE")
            return FormattedAnswer(json: ["response": ["header": header, "body": .init(answer.data)]])
        case Self.noData.name: return Self.failure("03", "NO_DATA")
        case ErrorCode.invalidRequest.name: return Self.failure("10", "INVALID_REQUEST_PARAMETER_ERROR")
        default: return GenericEnvelope().format(answer)
        }
    }

    private static func failure(_ code: String, _ message: String) -> FormattedAnswer {
        FormattedAnswer(json: ["response": ["header": header(code, message)]], status: .ok)
    }

    private static func header(_ code: String, _ message: String) -> JSONLiteral {
        ["resultCode": .init(code), "resultMsg": .init(message)]
    }
}
