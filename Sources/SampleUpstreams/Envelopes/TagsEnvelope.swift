internal import Sluice

/// The generic envelope, in which a card that has no tags to show is a status with HTTP status 200.
struct TagsEnvelope: AnswerFormat {
    static let noCard = ErrorCode("CARD_NOT_FOUND", status: .notFound)
    static let blockedCard = ErrorCode("CARD_BLOCKED", status: .forbidden)

    func format(_ answer: AnswerFacts) -> FormattedAnswer {
        var formatted = GenericEnvelope().format(answer)
        if [Self.noCard.name, Self.blockedCard.name].contains(answer.code) { formatted.status = .ok }
        return formatted
    }
}
