import HTTPModel

/// The status and fields of a handler's answer. After steps, the outer status wins and outer fields are
/// appended.
struct AnswerOverrides: Sendable {
    /// `nil` means 200.
    var status: HTTPStatus?
    var fields: HTTPFields

    init(_ answer: consuming Answer, in outer: AnswerOverrides?) {
        status = answer.status
        fields = (consume answer).fields
        guard let outer else { return }
        if let outerStatus = outer.status { status = outerStatus }
        fields.append(contentsOf: outer.fields)
    }
}
