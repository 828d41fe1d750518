internal import HTTPModel
internal import HTTPWire

extension InboundError {
    static func malformed(_ error: RequestError, head: HTTPRequestHead?) -> InboundError {
        InboundError(status: error.status, reason: .malformed, message: error.message, head: head)
    }

    static func timeout(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .requestTimeout, reason: .timeout, message: "the request took too long to arrive",
            head: head
        )
    }

    static func bodyTooLarge(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .contentTooLarge, reason: .bodyTooLarge,
            message: "the request body is too large", head: head)
    }

    static func overloaded(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .serviceUnavailable, reason: .overloaded, message: "too many requests are in progress",
            head: head)
    }

    static func draining(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .serviceUnavailable, reason: .draining, message: "the server is shutting down", head: head
        )
    }

    /// The handler's answer has an invalid field.
    static func unwritable(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .internalServerError, reason: .unwritable,
            message: "the response has an invalid header field",
            head: head)
    }

    /// The handler released its exchange.
    static func unanswered(head: HTTPRequestHead?) -> InboundError {
        InboundError(
            status: .internalServerError, reason: .unanswered, message: "the request was not handled",
            head: head)
    }
}
