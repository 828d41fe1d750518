import HTTPModel

/// The status and fields that a handler sets on its answer. An answer that follows steps takes those of the answers around it.
struct AnswerOverrides: Sendable {
    /// `nil`: 200.
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
