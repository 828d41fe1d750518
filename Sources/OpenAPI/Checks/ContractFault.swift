package import JSONSchema

/// One thing that is wrong with a request or a response. It never has the value itself.
package struct ContractFault: Sendable, Hashable, CustomStringConvertible {
    package enum Side: String, Sendable, Hashable { case request, response }

    /// The part of the message that is wrong.
    package enum Subject: Sendable, Hashable {
        case path(String)
        case query(String)
        case field(String)
        case contentType
        case status
        case body

        /// The part in words: `the query parameter limit`.
        package var phrase: String {
            switch self {
            case .path(let name): "the path parameter \(name)"
            case .query(let name): "the query parameter \(name)"
            case .field(let name): "the field \(name)"
            case .contentType: "the content type"
            case .status: "the status"
            case .body: "the body"
            }
        }
    }

    package let side: Side
    package let subject: Subject
    /// Where it is in the value, as a JSON Pointer: `/lines/0/count`. Empty for the whole value.
    package let at: String
    /// The word of the schema that refuses the value: `minimum`. Others are `required` for what is missing,
    /// `style` for a text that is not written as the parameter's style says, `json` for a body that is not
    /// JSON, `content-type` and `status`.
    package let keyword: String
    /// What must be there, in words: `at least 1`.
    package let rule: String
    /// The document that says so.
    package let document: String
    package let place: SchemaPlace

    init(
        side: Side, subject: Subject, at: String, keyword: String, rule: String, document: String,
        place: SchemaPlace
    ) {
        self.side = side
        self.subject = subject
        self.at = at
        self.keyword = keyword
        self.rule = rule
        self.document = document
        self.place = place
    }

    init(_ fault: SchemaFault, _ side: Side, _ subject: Subject) {
        self.init(
            side: side, subject: subject, at: fault.instance, keyword: fault.keyword, rule: fault.rule,
            document: fault.document, place: fault.place)
    }

    /// The fault in words: `the query parameter limit must be at least 1 (minimum)`.
    package var description: String {
        let what = at.isEmpty ? subject.phrase : "\(at) in \(subject.phrase)"
        return "\(what) must be \(rule) (\(keyword))"
    }
}
