internal import HTTPModel
internal import JSONBytes

/// The envelope of the sample upstreams: `{"code":"OK","message":"success","status":200,"data":...}`.
enum GenericResponse {
    /// 200 with `data` written by the closure.
    static func success(data write: (inout JSONComposer) -> Void) -> HTTPResponse {
        var composer = JSONComposer(reservingCapacity: 640)
        envelope(&composer, code: "OK", message: "success", status: .ok, data: write)
        return HTTPResponse(status: .ok, fields: fields, body: composer.finish())
    }

    /// 204: there is nothing, and that is an answer.
    static var noContent: HTTPResponse { HTTPResponse(status: .noContent) }

    /// A failure, its `data` null; the status is the HTTP status too.
    static func failure(
        _ status: HTTPStatus, _ message: String, code: String? = nil, allow: [HTTPMethod] = []
    ) -> HTTPResponse {
        guard !status.forbidsBody else { return HTTPResponse(status: status) }
        var composer = JSONComposer()
        envelope(&composer, code: code ?? self.code(of: status), message: message, status: status) {
            $0.null()
        }
        var fields = fields
        if !allow.isEmpty { fields[.allow] = allow.map(\.rawValue).joined(separator: ", ") }
        return HTTPResponse(status: status, fields: fields, body: composer.finish())
    }

    private static let fields: HTTPFields = ["Content-Type": "application/json; charset=utf-8"]

    private static func envelope(
        _ composer: inout JSONComposer, code: String, message: String, status: HTTPStatus,
        data write: (inout JSONComposer) -> Void
    ) {
        composer.beginObject()
        composer.key("code")
        composer.string(code)
        composer.key("message")
        composer.string(message)
        composer.key("status")
        composer.int(status.code)
        composer.key("data")
        write(&composer)
        composer.endObject()
    }

    /// `NOT_FOUND` for 404 and so on: the reason phrase in capitals, but for the usual names of some.
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

extension WeightPair {
    /// Appends `"am":70.1,"pm":null` to an object.
    func append(to composer: inout JSONComposer) {
        for half in DayHalf.allCases {
            composer.key(half.rawValue)
            if let weight = self[half] {
                weight.append(to: &composer)
            } else {
                composer.null()
            }
        }
    }
}
