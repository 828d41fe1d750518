public import HTTPModel

/// An answer of the gateway's own that is no success: thrown by a handler, or made by the gateway itself.
///
///     guard page > 0 else { throw GatewayError.invalidRequest("page must be 1 or more") }
///
/// `message` is shown to the client as it is: put nothing of an upstream into it.
public struct GatewayError: Error, Sendable, CustomStringConvertible {
    public var code: ErrorCode
    /// What is wrong with this request, for a person: a sentence without a full stop.
    public var message: String
    /// Fields of the answer beside those that every answer has.
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

    /// - Parameters:
    ///   - message: for the client.
    ///   - challenge: the `WWW-Authenticate` that RFC 9110 15.5.2 asks for, such as `Bearer`.
    public static func unauthorized(_ message: String, challenge: String = "Bearer") -> GatewayError {
        GatewayError(.unauthorized, message, fields: [.wwwAuthenticate: challenge])
    }

    public static func forbidden(_ message: String) -> GatewayError { GatewayError(.forbidden, message) }

    public static func notFound(_ message: String = "there is nothing at this path") -> GatewayError {
        GatewayError(.notFound, message)
    }

    /// - Parameters:
    ///   - method: the request's.
    ///   - allowed: the methods that the resource has, for `Allow`.
    public static func methodNotAllowed(_ method: HTTPMethod, allowed: [HTTPMethod]) -> GatewayError {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        return GatewayError(
            .methodNotAllowed, "\(method.rawValue) is not among the methods of this path: \(list)",
            fields: [.allow: list])
    }

    public static func notAcceptable(_ message: String) -> GatewayError {
        GatewayError(.notAcceptable, message)
    }

    public static func requestTimeout(_ message: String) -> GatewayError {
        GatewayError(.requestTimeout, message)
    }

    public static func conflict(_ message: String) -> GatewayError { GatewayError(.conflict, message) }

    /// - Parameter limit: bytes.
    public static func payloadTooLarge(limit: Int) -> GatewayError {
        GatewayError(.payloadTooLarge, "the request body has more than \(limit) bytes")
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

    /// - Parameters:
    ///   - message: for the client.
    ///   - retryAfter: whole seconds, for `Retry-After`.
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

    /// - Parameters:
    ///   - message: for the client.
    ///   - retryAfter: whole seconds, for `Retry-After`.
    public static func upstreamUnavailable(_ message: String, retryAfter: Int = 1) -> GatewayError {
        GatewayError(.upstreamUnavailable, message, fields: [.retryAfter: "\(max(retryAfter, 0))"])
    }

    public static func upstreamTimeout(_ message: String) -> GatewayError {
        GatewayError(.upstreamTimeout, message)
    }

    /// More requests in flight than a loop takes.
    public static var overloaded: GatewayError {
        GatewayError(
            .overloaded, "the gateway has too many requests in flight", fields: [.retryAfter: "1"])
    }

    /// A further request on a connection of a gateway that is shutting down.
    public static var draining: GatewayError {
        GatewayError(.draining, "the gateway is shutting down", fields: [.retryAfter: "1"])
    }

    public static func httpVersionNotSupported(_ message: String) -> GatewayError {
        GatewayError(.httpVersionNotSupported, message)
    }

    /// The request's `Via` has our own name for the fourth time (RFC 9110 7.6.3).
    public static var loopDetected: GatewayError {
        GatewayError(.loopDetected, "the request has passed through this gateway four times")
    }

    /// A fault of ours. Says nothing of its cause, which goes to the incident hook.
    static var `internal`: GatewayError { GatewayError(.internal, "the gateway failed to answer") }

    /// What a strict HTTP parser complains of: the code that belongs to its status.
    public init(status: Int, message: String) {
        self.init(ErrorCode(status: status), message)
    }
}
