internal import Sluice

/// The answers of an API without an envelope: the data alone, or `{"code":"USER_NOT_FOUND","message":...}`.
struct ProfileFormat: AnswerFormat {
    func format(_ answer: AnswerFacts) -> FormattedAnswer {
        guard answer.isFailure else { return FormattedAnswer(json: answer.data) }
        return FormattedAnswer(json: ["code": .init(answer.code), "message": .init(answer.message)])
    }
}
