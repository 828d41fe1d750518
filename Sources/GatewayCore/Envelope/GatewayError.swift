public import HTTPModel

/// A failed answer, thrown by a handler or made by the gateway.
///
///     guard page > 0 else { throw GatewayError.invalidRequest("page must be 1 or more") }
///
/// Clients see `message` unchanged, so it must not contain text of an upstream.
public struct GatewayError: Error, Sendable, CustomStringConvertible {
    public var code: ErrorCode
    /// What is wrong with this request: a sentence without a full stop.
    public var message: String
    /// Fields added to the answer.
    public var fields: HTTPFields

    public init(_ code: ErrorCode, _ message: String, fields: HTTPFields = HTTPFields()) {
        self.code = code
        self.message = message
        self.fields = fields
    }

    public var description: String { "\(code.name): \(message)" }
}

extension GatewayError {
    public static func invalidRequest(_ message: String) -> GatewayError {
        GatewayError(.invalidRequest, message)
    }

    /// `challenge` is the `WWW-Authenticate` that RFC 9110 15.5.2 requires.
    public static func unauthorized(_ message: String, challenge: String = "Bearer") -> GatewayError {
        GatewayError(.unauthorized, message, fields: [.wwwAuthenticate: challenge])
    }

    public static func forbidden(_ message: String) -> GatewayError { GatewayError(.forbidden, message) }

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

    public static func notAcceptable(_ message: String) -> GatewayError {
        GatewayError(.notAcceptable, message)
    }

    public static func requestTimeout(_ message: String) -> GatewayError {
        GatewayError(.requestTimeout, message)
    }

    public static func conflict(_ message: String) -> GatewayError { GatewayError(.conflict, message) }

    /// - Parameter limit: in bytes.
    public static func payloadTooLarge(limit: Int) -> GatewayError {
        GatewayError(.payloadTooLarge, "The request body exceeds \(limit) bytes")
    }

    public static func uriTooLong(_ message: String) -> GatewayError { GatewayError(.uriTooLong, message) }

    public static func unsupportedMediaType(_ message: String) -> GatewayError {
        GatewayError(.unsupportedMediaType, message)
    }

    public static func expectationFailed(_ message: String) -> GatewayError {
        GatewayError(.expectationFailed, message)
    }

    public static func unprocessable(_ message: String) -> GatewayError {
        GatewayError(.unprocessable, message)
    }

    /// `retryAfter` is in seconds.
    public static func tooManyRequests(_ message: String, retryAfter: Int) -> GatewayError {
        GatewayError(.tooManyRequests, message, fields: [.retryAfter: "\(max(retryAfter, 0))"])
    }

    public static func headersTooLarge(_ message: String) -> GatewayError {
        GatewayError(.headersTooLarge, message)
    }

    public static func notImplemented(_ message: String) -> GatewayError {
        GatewayError(.notImplemented, message)
    }

    public static func badGateway(_ message: String) -> GatewayError { GatewayError(.badGateway, message) }

    /// `retryAfter` is in seconds.
    public static func upstreamUnavailable(_ message: String, retryAfter: Int = 1) -> GatewayError {
        GatewayError(.upstreamUnavailable, message, fields: [.retryAfter: "\(max(retryAfter, 0))"])
    }

    public static func upstreamTimeout(_ message: String) -> GatewayError {
        GatewayError(.upstreamTimeout, message)
    }

    public static var overloaded: GatewayError {
        GatewayError(
            .overloaded, "The gateway has too many requests in flight", fields: [.retryAfter: "1"])
    }

    public static var draining: GatewayError {
        GatewayError(.draining, "The gateway is shutting down", fields: [.retryAfter: "1"])
    }

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
