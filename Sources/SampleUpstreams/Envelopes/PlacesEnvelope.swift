internal import Sluice

/// The generic envelope with the message in `responseMsg`, and for a failure also in `data`.
struct PlacesEnvelope: AnswerFormat {
    func format(_ answer: AnswerFacts) -> FormattedAnswer {
        let data = answer.isFailure ? JSONLiteral(answer.message) : JSONLiteral(answer.data)
        return GenericEnvelope(textName: "responseMsg").format(answer, data: data)
    }
}
