/// A status code, 100 to 599 (RFC 9110 15). A received response may have a code up to 999, which counts as a
/// server error.
public struct HTTPStatus: Sendable, Hashable {
    @usableFromInline let value: UInt16

    /// Creates the status with this code; nil outside 100 to 599.
    public init?(code: Int) {
        guard (100...599).contains(code) else { return nil }
        value = UInt16(code)
    }

    /// The code of a received response, 100 to 999.
    package init?(received code: Int) {
        guard (100...999).contains(code) else { return nil }
        value = UInt16(code)
    }

    /// - Precondition: the code is 100 to 999.
    @inlinable
    package init(unchecked value: UInt16) {
        self.value = value
    }

    /// The code: 404.
    @inlinable
    public var code: Int { Int(value) }

    /// 1xx: an interim response, followed by the final one.
    public var isInformational: Bool { value < 200 }
    /// Whether the code is 2xx.
    public var isSuccess: Bool { (200..<300).contains(value) }
    /// Whether the code is 3xx.
    public var isRedirection: Bool { (300..<400).contains(value) }
    /// Whether the code is 4xx.
    public var isClientError: Bool { (400..<500).contains(value) }
    /// 5xx, or a code above 599, which clients process as one (RFC 9110 15).
    public var isServerError: Bool { value >= 500 }
    /// Whether no class is defined for the code: 600 to 999.
    package var isBeyondClasses: Bool { value >= 600 }
    /// Whether a response with this status has no body, whatever its fields say (RFC 9112 6.3).
    public var forbidsBody: Bool { value < 200 || value == 204 || value == 304 }
}

extension HTTPStatus {
    /// 100 Continue.
    public static var `continue`: HTTPStatus { HTTPStatus(unchecked: 100) }
    /// 101 Switching Protocols.
    public static var switchingProtocols: HTTPStatus { HTTPStatus(unchecked: 101) }
    /// 103 Early Hints.
    public static var earlyHints: HTTPStatus { HTTPStatus(unchecked: 103) }
    /// 200 OK.
    public static var ok: HTTPStatus { HTTPStatus(unchecked: 200) }
    /// 201 Created.
    public static var created: HTTPStatus { HTTPStatus(unchecked: 201) }
    /// 202 Accepted.
    public static var accepted: HTTPStatus { HTTPStatus(unchecked: 202) }
    /// 203 Non-Authoritative Information.
    public static var nonAuthoritativeInformation: HTTPStatus { HTTPStatus(unchecked: 203) }
    /// 204 No Content.
    public static var noContent: HTTPStatus { HTTPStatus(unchecked: 204) }
    /// 205 Reset Content.
    public static var resetContent: HTTPStatus { HTTPStatus(unchecked: 205) }
    /// 206 Partial Content.
    public static var partialContent: HTTPStatus { HTTPStatus(unchecked: 206) }
    /// 300 Multiple Choices.
    public static var multipleChoices: HTTPStatus { HTTPStatus(unchecked: 300) }
    /// 301 Moved Permanently.
    public static var movedPermanently: HTTPStatus { HTTPStatus(unchecked: 301) }
    /// 302 Found.
    public static var found: HTTPStatus { HTTPStatus(unchecked: 302) }
    /// 303 See Other.
    public static var seeOther: HTTPStatus { HTTPStatus(unchecked: 303) }
    /// 304 Not Modified.
    public static var notModified: HTTPStatus { HTTPStatus(unchecked: 304) }
    /// 307 Temporary Redirect.
    public static var temporaryRedirect: HTTPStatus { HTTPStatus(unchecked: 307) }
    /// 308 Permanent Redirect.
    public static var permanentRedirect: HTTPStatus { HTTPStatus(unchecked: 308) }
    /// 400 Bad Request.
    public static var badRequest: HTTPStatus { HTTPStatus(unchecked: 400) }
    /// 401 Unauthorized.
    public static var unauthorized: HTTPStatus { HTTPStatus(unchecked: 401) }
    /// 402 Payment Required.
    public static var paymentRequired: HTTPStatus { HTTPStatus(unchecked: 402) }
    /// 403 Forbidden.
    public static var forbidden: HTTPStatus { HTTPStatus(unchecked: 403) }
    /// 404 Not Found.
    public static var notFound: HTTPStatus { HTTPStatus(unchecked: 404) }
    /// 405 Method Not Allowed.
    public static var methodNotAllowed: HTTPStatus { HTTPStatus(unchecked: 405) }
    /// 406 Not Acceptable.
    public static var notAcceptable: HTTPStatus { HTTPStatus(unchecked: 406) }
    /// 407 Proxy Authentication Required.
    public static var proxyAuthenticationRequired: HTTPStatus { HTTPStatus(unchecked: 407) }
    /// 408 Request Timeout.
    public static var requestTimeout: HTTPStatus { HTTPStatus(unchecked: 408) }
    /// 409 Conflict.
    public static var conflict: HTTPStatus { HTTPStatus(unchecked: 409) }
    /// 410 Gone.
    public static var gone: HTTPStatus { HTTPStatus(unchecked: 410) }
    /// 411 Length Required.
    public static var lengthRequired: HTTPStatus { HTTPStatus(unchecked: 411) }
    /// 412 Precondition Failed.
    public static var preconditionFailed: HTTPStatus { HTTPStatus(unchecked: 412) }
    /// 413 Content Too Large.
    public static var contentTooLarge: HTTPStatus { HTTPStatus(unchecked: 413) }
    /// 414 URI Too Long.
    public static var uriTooLong: HTTPStatus { HTTPStatus(unchecked: 414) }
    /// 415 Unsupported Media Type.
    public static var unsupportedMediaType: HTTPStatus { HTTPStatus(unchecked: 415) }
    /// 416 Range Not Satisfiable.
    public static var rangeNotSatisfiable: HTTPStatus { HTTPStatus(unchecked: 416) }
    /// 417 Expectation Failed.
    public static var expectationFailed: HTTPStatus { HTTPStatus(unchecked: 417) }
    /// 421 Misdirected Request.
    public static var misdirectedRequest: HTTPStatus { HTTPStatus(unchecked: 421) }
    /// 422 Unprocessable Content.
    public static var unprocessableContent: HTTPStatus { HTTPStatus(unchecked: 422) }
    /// 423 Locked.
    public static var locked: HTTPStatus { HTTPStatus(unchecked: 423) }
    /// 424 Failed Dependency.
    public static var failedDependency: HTTPStatus { HTTPStatus(unchecked: 424) }
    /// 425 Too Early.
    public static var tooEarly: HTTPStatus { HTTPStatus(unchecked: 425) }
    /// 426 Upgrade Required.
    public static var upgradeRequired: HTTPStatus { HTTPStatus(unchecked: 426) }
    /// 428 Precondition Required.
    public static var preconditionRequired: HTTPStatus { HTTPStatus(unchecked: 428) }
    /// 429 Too Many Requests.
    public static var tooManyRequests: HTTPStatus { HTTPStatus(unchecked: 429) }
    /// 431 Request Header Fields Too Large.
    public static var requestHeaderFieldsTooLarge: HTTPStatus { HTTPStatus(unchecked: 431) }
    /// 451 Unavailable For Legal Reasons.
    public static var unavailableForLegalReasons: HTTPStatus { HTTPStatus(unchecked: 451) }
    /// 500 Internal Server Error.
    public static var internalServerError: HTTPStatus { HTTPStatus(unchecked: 500) }
    /// 501 Not Implemented.
    public static var notImplemented: HTTPStatus { HTTPStatus(unchecked: 501) }
    /// 502 Bad Gateway.
    public static var badGateway: HTTPStatus { HTTPStatus(unchecked: 502) }
    /// 503 Service Unavailable.
    public static var serviceUnavailable: HTTPStatus { HTTPStatus(unchecked: 503) }
    /// 504 Gateway Timeout.
    public static var gatewayTimeout: HTTPStatus { HTTPStatus(unchecked: 504) }
    /// 505 HTTP Version Not Supported.
    public static var httpVersionNotSupported: HTTPStatus { HTTPStatus(unchecked: 505) }
    /// 507 Insufficient Storage.
    public static var insufficientStorage: HTTPStatus { HTTPStatus(unchecked: 507) }
    /// 508 Loop Detected.
    public static var loopDetected: HTTPStatus { HTTPStatus(unchecked: 508) }
    /// 511 Network Authentication Required.
    public static var networkAuthenticationRequired: HTTPStatus { HTTPStatus(unchecked: 511) }
}

extension HTTPStatus {
    /// nginx's status for a client that left before its response. It appears in logs and is never sent.
    package static var clientClosedRequest: HTTPStatus { HTTPStatus(unchecked: 499) }
}

extension HTTPStatus {
    /// The phrase of the IANA registry, or else the name of the class. It never contains text from an
    /// upstream.
    public var reasonPhrase: StaticString {
        switch value {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 203: "Non-Authoritative Information"
        case 204: "No Content"
        case 205: "Reset Content"
        case 206: "Partial Content"
        case 300: "Multiple Choices"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 423: "Locked"
        case 424: "Failed Dependency"
        case 425: "Too Early"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 451: "Unavailable For Legal Reasons"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        case 508: "Loop Detected"
        case 511: "Network Authentication Required"
        case 100..<200: "Informational"
        case 200..<300: "Success"
        case 300..<400: "Redirection"
        case 400..<500: "Client Error"
        default: "Server Error"
        }
    }
}

extension HTTPStatus: CustomStringConvertible {
    /// The value as text, for logs and messages.
    public var description: String { "\(value) \(reasonPhrase)" }
}
