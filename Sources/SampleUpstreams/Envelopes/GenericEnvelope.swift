internal import Sluice

/// The envelope of most of the sample APIs: `{"code":"OK","message":"success","status":200,"data":...}`.
struct GenericEnvelope: AnswerFormat {
    /// The name of the message.
    var textName = "message"

    func format(_ answer: AnswerFacts) -> FormattedAnswer {
        // A refused change answers with the state that the client has not seen.
        let isConflict = answer.code == ErrorCode.preconditionFailed.name
        return format(answer, data: .init(isConflict ? answer.details ?? .null : answer.data))
    }

    func format(_ answer: AnswerFacts, data: JSONLiteral) -> FormattedAnswer {
        FormattedAnswer(json: json(answer.code, answer.message, answer.status.code, data))
    }

    /// Returns the answer of an API with a fault: this status, whatever it means.
    static func fault(_ code: Int) -> Answer {
        let body = Self().json("FAULT", "status \(code), set as a fault", code, nil)
        return .raw(body.fragment.bytes, contentType: "application/json; charset=utf-8")
            .status(HTTPStatus(code: code) ?? .internalServerError)
    }

    private func json(_ code: String, _ message: String, _ status: Int, _ data: JSONLiteral) -> JSONLiteral {
        ["code": .init(code), textName: .init(message), "status": .init(status), "data": data]
    }
}
