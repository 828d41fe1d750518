import HTTPModel

/// The fields that all answers of one kind have, made once: what an answer costs is a copy, in which its request id is
/// written over. A class, as an answer then retains one object instead of two arrays.
final class ConstantFields: Sendable {
    private let withoutID: HTTPFields
    private let withID: HTTPFields

    init(_ fields: HTTPFields) {
        withoutID = fields
        var fields = fields
        fields.append(.xRequestID, Identifiers.placeholder)
        withID = fields.checked()
    }

    /// A copy with the id of the request, which comes last.
    func fields(requestID: String) -> HTTPFields {
        guard requestID.utf8.count == Identifiers.length else {
            var fields = withoutID
            fields.append(.xRequestID, requestID)
            return fields
        }
        var fields = withID
        fields.overwrite(valueAt: fields.count - 1) { Identifiers.write(requestID, to: $0) }
        return fields
    }
}

/// The constant fields of a gateway's answers by kind. None may be sniffed for another type (Fetch, "X-Content-Type-Options"),
/// and none is stored by a cache unless its endpoint says so.
struct AnswerFields: Sendable {
    let success = ConstantFields([
        .contentType: json, .xContentTypeOptions: "nosniff", .cacheControl: "private, no-store",
    ])
    /// Of a success whose endpoint sets `Cache-Control`.
    let cacheableSuccess = ConstantFields([.contentType: json, .xContentTypeOptions: "nosniff"])
    /// Of a success without a body, such as 204.
    let empty = ConstantFields([.xContentTypeOptions: "nosniff", .cacheControl: "private, no-store"])
    let cacheableEmpty = ConstantFields([.xContentTypeOptions: "nosniff"])
    /// Of a failure or a partial answer.
    let failure = ConstantFields([
        .contentType: json, .xContentTypeOptions: "nosniff", .cacheControl: "no-store",
    ])
    let problem = ConstantFields([
        .contentType: "application/problem+json", .xContentTypeOptions: "nosniff", .cacheControl: "no-store",
    ])

    private static let json = "application/json; charset=utf-8"
}
