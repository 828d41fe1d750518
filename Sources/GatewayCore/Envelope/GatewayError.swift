public import HTTPModel
public import JSONBytes

/// A failed answer: thrown by a handler, a part or a model, or made by the gateway.
///
///     guard page > 0 else { throw GatewayError.invalidRequest("The page must be 1 or more") }
///     throw GatewayError(
///         code: "CART_EMPTY", status: .conflict, message: "The cart is empty", details: ["cart": 12])
///
/// Clients see `message` and `details` unchanged, so they must not contain text of an upstream.
public struct GatewayError: Error, Sendable, CustomStringConvertible {
    /// The code, which has a status.
    public var code: ErrorCode
    /// What is wrong with this request: a short sentence that begins with a capital and has no full stop.
    public var message: String
    /// What a program needs to handle the error: the member `details` of the answer. Nil for none.
    public var details: JSONFragment?
    /// Fields added to the answer.
    public var fields: HTTPFields
    /// See `RequestSummary.refusedValues`.
    var refusedValues: [String] = []

    /// Creates an error with the code's status. Clients see `message`, `details` and `fields`.
    public init(
        _ code: ErrorCode, _ message: String, details: JSONLiteral? = nil, fields: HTTPFields = HTTPFields()
    ) {
        self.code = code
        self.message = message
        self.details = details?.fragment
        self.fields = fields
    }

    /// Creates an error with a code of your own, as `ErrorCode(_:status:title:)` does. Clients see `message`,
    /// `details` and `fields`.
    public init(
        code: String, status: HTTPStatus, message: String, details: JSONLiteral? = nil,
        fields: HTTPFields = HTTPFields()
    ) {
        self.init(ErrorCode(code, status: status), message, details: details, fields: fields)
    }

    /// What is wrong, in words.
    public var description: String { "\(code.name): \(message)" }

    /// Returns the error with the name of the part of the request that it complains of, for the access log.
    package consuming func refusing(_ part: String) -> GatewayError {
        refusedValues = [part]
        return self
    }
}

extension GatewayError {
    /// 400 `INVALID_REQUEST`: a parameter, field or body is missing or invalid.
    public static func invalidRequest(_ message: String) -> GatewayError {
        GatewayError(.invalidRequest, message)
    }

    /// `challenge` is the `WWW-Authenticate` that RFC 9110 15.5.2 requires.
    public static func unauthorized(_ message: String, challenge: String = "Bearer") -> GatewayError {
        GatewayError(.unauthorized, message, fields: [.wwwAuthenticate: challenge])
    }

    /// 403 `FORBIDDEN`: the credentials do not permit the request.
    public static func forbidden(_ message: String) -> GatewayError { GatewayError(.forbidden, message) }

    /// 404 `NOT_FOUND`: the resource does not exist.
    public static func notFound(_ message: String = "No endpoint matches this path") -> GatewayError {
        GatewayError(.notFound, message)
    }

    /// `allowed` are the resource's methods, for `Allow`.
    public static func methodNotAllowed(_ method: HTTPMethod, allowed: [HTTPMethod]) -> GatewayError {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        return GatewayError(
            .methodNotAllowed, "This path does not support \(method.rawValue), only \(list)",
            fields: [.allow: list])
    }

    /// 406 `NOT_ACCEPTABLE`: no acceptable representation exists.
    public static func notAcceptable(_ message: String) -> GatewayError {
        GatewayError(.notAcceptable, message)
    }

    /// 408 `REQUEST_TIMEOUT`: the request did not arrive in time.
    public static func requestTimeout(_ message: String) -> GatewayError {
        GatewayError(.requestTimeout, message)
    }

    /// 409 `CONFLICT`: the request conflicts with the resource's state.
    public static func conflict(_ message: String) -> GatewayError { GatewayError(.conflict, message) }

    /// - Parameter limit: in bytes.
    public static func payloadTooLarge(limit: Int) -> GatewayError {
        GatewayError(.payloadTooLarge, "The request body exceeds \(limit) bytes")
    }

    /// 414 `URI_TOO_LONG`: the request target is too long.
    public static func uriTooLong(_ message: String) -> GatewayError { GatewayError(.uriTooLong, message) }

    /// 415 `UNSUPPORTED_MEDIA_TYPE`: the request body has an unsupported media type.
    public static func unsupportedMediaType(_ message: String) -> GatewayError {
        GatewayError(.unsupportedMediaType, message)
    }

    /// 417 `EXPECTATION_FAILED`: the `Expect` field cannot be met.
    public static func expectationFailed(_ message: String) -> GatewayError {
        GatewayError(.expectationFailed, message)
    }

    /// 422 `UNPROCESSABLE`: the content is well formed but cannot be processed.
    public static func unprocessable(_ message: String) -> GatewayError {
        GatewayError(.unprocessable, message)
    }

    /// `retryAfter` is in seconds.
    public static func tooManyRequests(_ message: String, retryAfter: Int) -> GatewayError {
        GatewayError(.tooManyRequests, message, fields: [.retryAfter: "\(max(retryAfter, 0))"])
    }

    /// 431 `HEADERS_TOO_LARGE`: the header fields are too large.
    public static func headersTooLarge(_ message: String) -> GatewayError {
        GatewayError(.headersTooLarge, message)
    }

    /// 501 `NOT_IMPLEMENTED`: the request requires a feature that is not implemented.
    public static func notImplemented(_ message: String) -> GatewayError {
        GatewayError(.notImplemented, message)
    }

    /// 502 `BAD_GATEWAY`: an upstream sent no usable response.
    public static func badGateway(_ message: String) -> GatewayError { GatewayError(.badGateway, message) }

    /// `retryAfter` is in seconds.
    public static func upstreamUnavailable(_ message: String, retryAfter: Int = 1) -> GatewayError {
        GatewayError(.upstreamUnavailable, message, fields: [.retryAfter: "\(max(retryAfter, 0))"])
    }

    /// 504 `UPSTREAM_TIMEOUT`: an upstream did not answer in time.
    public static func upstreamTimeout(_ message: String) -> GatewayError {
        GatewayError(.upstreamTimeout, message)
    }

    /// 503 `OVERLOADED`, to be retried after one to three seconds, at random so that clients do not come back
    /// together.
    public static var overloaded: GatewayError {
        GatewayError(
            .overloaded, "The gateway has too many requests in flight",
            fields: [.retryAfter: "\(Int.random(in: 1...3))"])
    }

    /// 503 `OVERLOADED`: the endpoint has reached its own `concurrency`, whatever else the gateway has in
    /// flight.
    package static var endpointOverloaded: GatewayError {
        var error = overloaded
        error.message = "This endpoint has too many requests in flight"
        return error
    }

    /// 503 `DRAINING`, to be retried after a second.
    public static var draining: GatewayError {
        GatewayError(.draining, "The gateway is shutting down", fields: [.retryAfter: "1"])
    }

    /// 505 `HTTP_VERSION_NOT_SUPPORTED`: the HTTP version is not supported.
    public static func httpVersionNotSupported(_ message: String) -> GatewayError {
        GatewayError(.httpVersionNotSupported, message)
    }

    /// The request's `Via` contains the gateway's name four times (RFC 9110 7.6.3).
    public static var loopDetected: GatewayError {
        GatewayError(.loopDetected, "The request has passed through this gateway four times")
    }

    /// An unexpected error. The client learns nothing about it; the incident hook gets it.
    static var `internal`: GatewayError { GatewayError(.internal, "The gateway failed to answer") }

    /// An error with the code for a status, such as a parser's.
    public init(status: Int, message: String) {
        self.init(ErrorCode(status: status), message)
    }
}
