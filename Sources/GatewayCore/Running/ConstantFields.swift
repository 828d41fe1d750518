import HTTPModel

/// The fields that all answers of one kind have, built once. Each answer copies them and overwrites the
/// request id.
///
/// A class, so that an answer retains one object instead of two arrays.
final class ConstantFields: Sendable {
    private let withoutID: HTTPFields
    private let withID: HTTPFields

    init(_ fields: HTTPFields) {
        withoutID = fields
        var fields = fields
        fields.append(.xRequestID, Identifiers.placeholder)
        withID = fields.checked()
    }

    /// Returns a copy with the request's id as its last field.
    ///
    /// - Parameter room: bytes for fields that are certain to follow, so that they need no other copy.
    func fields(requestID: String, room: Int = 0) -> HTTPFields {
        guard requestID.utf8.count == Identifiers.length else {
            var fields = withoutID
            fields.append(.xRequestID, requestID)
            return fields
        }
        var fields = withID
        if room > 0 { fields.reserve(room) }
        fields.overwrite(valueAt: fields.count - 1) { Identifiers.write(requestID, to: $0) }
        return fields
    }
}

/// The constant fields of a gateway's answers by kind. They forbid type sniffing (Fetch,
/// "X-Content-Type-Options") and, unless the endpoint says otherwise, caching.
struct AnswerFields: Sendable {
    let success = ConstantFields([
        .contentType: json, .xContentTypeOptions: "nosniff", .cacheControl: notShared,
    ])
    /// A success whose endpoint sets `Cache-Control`.
    let cacheableSuccess = ConstantFields([.contentType: json, .xContentTypeOptions: "nosniff"])
    /// A success without a body, such as 204.
    let empty = ConstantFields([.xContentTypeOptions: "nosniff", .cacheControl: notShared])
    let cacheableEmpty = ConstantFields([.xContentTypeOptions: "nosniff"])
    /// A failure or a partial answer.
    let failure = ConstantFields([
        .contentType: json, .xContentTypeOptions: "nosniff", .cacheControl: "no-store",
    ])
    let problem = ConstantFields([
        .contentType: "application/problem+json", .xContentTypeOptions: "nosniff", .cacheControl: "no-store",
    ])

    private static let json = "application/json; charset=utf-8"
    /// The `Cache-Control` of a success whose endpoint sets none.
    static let notShared = "private, no-store"
}
