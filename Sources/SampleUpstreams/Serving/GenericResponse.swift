internal import HTTPModel
internal import JSONBytes

/// The envelope of most of the sample upstreams: `{"code":"OK","message":"success","status":200,"data":...}`.
enum GenericResponse {
    /// The name of the message in an API's envelope.
    enum TextName: String { case message, responseMsg }

    /// Returns a 200 with the `data` that the closure writes.
    static func success(
        textName: TextName = .message, data write: (inout JSONComposer) -> Void
    ) -> HTTPResponse {
        var composer = JSONComposer(reservingCapacity: 640)
        envelope(&composer, code: "OK", textName, "success", .ok, data: write)
        return HTTPResponse(status: .ok, fields: fields, body: composer.finish())
    }

    /// A 204, for a valid request without data.
    static var noContent: HTTPResponse { HTTPResponse(status: .noContent) }

    /// Returns a failure with the same status in the envelope and in HTTP. `data` is null unless the closure writes it.
    static func failure(
        _ status: HTTPStatus, _ message: String, code: String? = nil, allow: [HTTPMethod] = [],
        textName: TextName = .message, data write: (inout JSONComposer) -> Void = { $0.null() }
    ) -> HTTPResponse {
        guard !status.forbidsBody else { return HTTPResponse(status: status) }
        var composer = JSONComposer()
        envelope(&composer, code: code ?? self.code(of: status), textName, message, status, data: write)
        var fields = fields
        if !allow.isEmpty { fields[.allow] = allow.map(\.rawValue).joined(separator: ", ") }
        return HTTPResponse(status: status, fields: fields, body: composer.finish())
    }

    /// Returns a failure with its status only in the envelope. The HTTP status is 200.
    static func failureInEnvelope(_ status: HTTPStatus, _ message: String, code: String) -> HTTPResponse {
        var composer = JSONComposer()
        envelope(&composer, code: code, .message, message, status) { $0.null() }
        return HTTPResponse(status: .ok, fields: fields, body: composer.finish())
    }

    static let fields: HTTPFields = ["Content-Type": "application/json; charset=utf-8"]

    private static func envelope(
        _ composer: inout JSONComposer, code: String, _ textName: TextName, _ text: String,
        _ status: HTTPStatus, data write: (inout JSONComposer) -> Void
    ) {
        composer.beginObject()
        composer.key("code")
        composer.string(code)
        composer.key(textName.rawValue)
        composer.string(text)
        composer.key("status")
        composer.int(status.code)
        composer.key("data")
        write(&composer)
        composer.endObject()
    }

    /// Returns the code for a status: the reason phrase in capitals, such as `NOT_FOUND`, with a few exceptions.
    private static func code(of status: HTTPStatus) -> String {
        switch status {
        case .badRequest: return "INVALID_REQUEST"
        case .unprocessableContent: return "UNPROCESSABLE"
        case .internalServerError: return "INTERNAL"
        default:
            let phrase = status.reasonPhrase.description
            return String(phrase.map { $0 == " " || $0 == "-" ? "_" : Character($0.uppercased()) })
        }
    }
}
