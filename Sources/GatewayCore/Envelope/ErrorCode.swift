import ASCIIText
public import HTTPModel

/// The `code` of a failed answer, with its HTTP status and its title in a problem document (RFC 9457).
///
/// A gateway has its own codes besides these:
///
///     extension ErrorCode {
///         static let cartEmpty = ErrorCode("CART_EMPTY", status: .conflict, title: "The cart is empty")
///     }
public struct ErrorCode: Sendable, Hashable {
    /// Upper snake case: `NOT_FOUND`.
    public let name: String
    /// The status of an answer with this code.
    public let status: Int
    /// What the code means, the same for every occurrence.
    public let title: String

    /// Whether an endpoint has declared it.
    let isOwn: Bool

    private init(_ name: String, _ status: Int, _ title: String) {
        self.name = name
        self.status = status
        self.title = title
        isOwn = false
    }

    /// Creates a code of your own. An answer with a code that breaks these rules is 500 `INTERNAL` and an
    /// incident.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 capital letters, digits and underscores, with a letter first: `CART_EMPTY`.
    ///   - status: 400 to 599.
    ///   - title: what the code means, the same for every occurrence. Default: made of the name,
    ///     `Cart empty`.
    public init(_ name: String, status: HTTPStatus, title: String? = nil) {
        self.name = name
        self.status = status.code
        self.title = title ?? Self.title(of: name)
        isOwn = true
    }

    private static func title(of name: String) -> String {
        let words = name.replacing("_", with: " ")
        return words.prefix(1) + words.dropFirst().lowercased()
    }

    /// Why the code cannot be answered; nil if it can.
    var fault: EndpointFault? {
        guard isOwn else { return nil }
        guard (1...64).contains(name.utf8.count), name.utf8.first.map(Self.isCapital) == true,
            name.utf8.allSatisfy({ Self.isCapital($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") })
        else {
            return EndpointFault(
                "the error code \"\(name)\" is not 1 to 64 capital letters, digits and underscores")
        }
        guard (400...599).contains(status) else {
            return EndpointFault("the error code \(name) has the status \(status), not 400 to 599")
        }
        return nil
    }

    private static func isCapital(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// `INVALID_REQUEST`, 400: the request is not valid.
    public static let invalidRequest = ErrorCode("INVALID_REQUEST", 400, "The request is not valid")
    /// `UNAUTHORIZED`, 401: credentials are missing or not accepted.
    public static let unauthorized = ErrorCode("UNAUTHORIZED", 401, "Credentials are missing or not accepted")
    /// `FORBIDDEN`, 403: the credentials do not permit the request.
    public static let forbidden = ErrorCode("FORBIDDEN", 403, "The credentials do not permit the request")
    /// `NOT_FOUND`, 404: the resource was not found.
    public static let notFound = ErrorCode("NOT_FOUND", 404, "The resource was not found")
    /// `METHOD_NOT_ALLOWED`, 405: the resource does not support the method.
    public static let methodNotAllowed = ErrorCode(
        "METHOD_NOT_ALLOWED", 405, "The resource does not support the method")
    /// `NOT_ACCEPTABLE`, 406: no acceptable representation exists.
    public static let notAcceptable = ErrorCode("NOT_ACCEPTABLE", 406, "No acceptable representation exists")
    /// `REQUEST_TIMEOUT`, 408: the request did not arrive in time.
    public static let requestTimeout = ErrorCode("REQUEST_TIMEOUT", 408, "The request did not arrive in time")
    /// `CONFLICT`, 409: the request conflicts with the resource's state.
    public static let conflict = ErrorCode("CONFLICT", 409, "The request conflicts with the resource's state")
    /// `GONE`, 410: the resource no longer exists.
    public static let gone = ErrorCode("GONE", 410, "The resource no longer exists")
    /// `PRECONDITION_FAILED`, 412: a precondition was not met.
    public static let preconditionFailed = ErrorCode(
        "PRECONDITION_FAILED", 412, "A precondition was not met")
    /// `PAYLOAD_TOO_LARGE`, 413: the request body is too large.
    public static let payloadTooLarge = ErrorCode("PAYLOAD_TOO_LARGE", 413, "The request body is too large")
    /// `URI_TOO_LONG`, 414: the request target is too long.
    public static let uriTooLong = ErrorCode("URI_TOO_LONG", 414, "The request target is too long")
    /// `UNSUPPORTED_MEDIA_TYPE`, 415: the request body has an unsupported media type.
    public static let unsupportedMediaType = ErrorCode(
        "UNSUPPORTED_MEDIA_TYPE", 415, "The request body has an unsupported media type")
    /// `RANGE_NOT_SATISFIABLE`, 416: the range lies outside the resource.
    public static let rangeNotSatisfiable = ErrorCode(
        "RANGE_NOT_SATISFIABLE", 416, "The range lies outside the resource")
    /// `EXPECTATION_FAILED`, 417: the Expect field cannot be met.
    public static let expectationFailed = ErrorCode(
        "EXPECTATION_FAILED", 417, "The Expect field cannot be met")
    /// `MISDIRECTED`, 421: the gateway does not answer for this host.
    public static let misdirected = ErrorCode(
        "MISDIRECTED", 421, "The gateway does not answer for this host")
    /// `UNPROCESSABLE`, 422: the content cannot be processed.
    public static let unprocessable = ErrorCode("UNPROCESSABLE", 422, "The content cannot be processed")
    /// `TOO_MANY_REQUESTS`, 429: too many requests.
    public static let tooManyRequests = ErrorCode("TOO_MANY_REQUESTS", 429, "Too many requests")
    /// `HEADERS_TOO_LARGE`, 431: the header fields are too large.
    public static let headersTooLarge = ErrorCode("HEADERS_TOO_LARGE", 431, "The header fields are too large")
    /// `INTERNAL`, 500: the gateway failed to answer.
    public static let `internal` = ErrorCode("INTERNAL", 500, "The gateway failed to answer")
    /// `NOT_IMPLEMENTED`, 501: the request requires a feature that is not implemented.
    public static let notImplemented = ErrorCode(
        "NOT_IMPLEMENTED", 501, "The request requires a feature that is not implemented")
    /// `BAD_GATEWAY`, 502: an upstream sent no usable response.
    public static let badGateway = ErrorCode("BAD_GATEWAY", 502, "An upstream sent no usable response")
    /// `UPSTREAM_UNAVAILABLE`, 503: an upstream is not available.
    public static let upstreamUnavailable = ErrorCode(
        "UPSTREAM_UNAVAILABLE", 503, "An upstream is not available")
    /// `OVERLOADED`, 503: the gateway has too many requests in flight.
    public static let overloaded = ErrorCode("OVERLOADED", 503, "The gateway has too many requests in flight")
    /// `DRAINING`, 503: the gateway is shutting down.
    public static let draining = ErrorCode("DRAINING", 503, "The gateway is shutting down")
    /// `UPSTREAM_TIMEOUT`, 504: an upstream did not answer in time.
    public static let upstreamTimeout = ErrorCode(
        "UPSTREAM_TIMEOUT", 504, "An upstream did not answer in time")
    /// `HTTP_VERSION_NOT_SUPPORTED`, 505: the HTTP version is not supported.
    public static let httpVersionNotSupported = ErrorCode(
        "HTTP_VERSION_NOT_SUPPORTED", 505, "The HTTP version is not supported")
    /// `LOOP_DETECTED`, 508: the request was forwarded in a loop.
    public static let loopDetected = ErrorCode(
        "LOOP_DETECTED", 508, "The request was forwarded in a loop")

    /// The code for a failed answer with this status. Other 4xx are `INVALID_REQUEST`, all else is
    /// `INTERNAL`.
    public init(status: Int) {
        self =
            switch status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 405: .methodNotAllowed
            case 406: .notAcceptable
            case 408: .requestTimeout
            case 409: .conflict
            case 410: .gone
            case 412: .preconditionFailed
            case 413: .payloadTooLarge
            case 414: .uriTooLong
            case 415: .unsupportedMediaType
            case 416: .rangeNotSatisfiable
            case 417: .expectationFailed
            case 421: .misdirected
            case 422: .unprocessable
            case 429: .tooManyRequests
            case 431: .headersTooLarge
            case 400..<500: .invalidRequest
            case 501: .notImplemented
            case 502: .badGateway
            case 503: .upstreamUnavailable
            case 504: .upstreamTimeout
            case 505: .httpVersionNotSupported
            case 508: .loopDetected
            default: .internal
            }
    }
}
