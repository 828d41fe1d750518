import EndpointPlans
import HTTPModel

/// Checks the field that says whether an endpoint's answer is complete.
struct AnswerCheck {
    /// With the members that `defaults` sets.
    let answer: PlannedAnswer
    /// Whether the endpoint itself sets `completeHeader`.
    let isOwn: Bool
    let reader: ConfigReader

    func run() {
        // What a variable sets is unknown in a static check.
        guard let field = answer.$completeField, !reader.unread.contains(field.place),
            answer.$envelope.map({ !reader.unread.contains($0.place) }) ?? true
        else { return }
        switch answer.envelope ?? .sluice {
        case .bare: checkHeaders(field)
        case .sluice:
            guard isOwn else { return }
            reader.problems.warning(
                "answer.completeHeader has no effect: only answers with envelope: bare have the field",
                at: field.place)
        }
    }

    private func checkHeaders(_ field: Located<HTTPFieldName>) {
        guard let header = answer.fields.first(where: { $0.name.value == field.value }) else { return }
        reader.error(
            "answer.headers and answer.completeHeader both set \(header.name.value); case does not matter",
            at: isOwn ? field.place : header.name.place)
    }
}
