public import FoundationEssentials

/// An error that carries its underlying error.
public protocol NestedError: Error {
    /// The error that caused this one; nil for a first cause.
    var underlying: (any Error)? { get }
}

extension NestedError {
    /// All underlying errors down to the first cause, through nested errors and coding errors.
    public var underlyingErrors: [any Error] {
        var chain: [any Error] = []
        var next = underlying
        // A custom error may contain itself.
        while let error = next, chain.count < 32 {
            chain.append(error)
            next = beneath(error)
        }
        return chain
    }

    private func beneath(_ error: any Error) -> (any Error)? {
        switch error {
        case let error as any NestedError: error.underlying
        case DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context),
            DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            context.underlyingError
        case EncodingError.invalidValue(_, let context): context.underlyingError
        default: nil
        }
    }
}

extension NetworkError: NestedError {}
extension TransportError: NestedError {}

extension NetworkError: LocalizedError {
    /// `message`, which may be displayed: it contains no host, headers, body or query.
    public var errorDescription: String? { message }
    /// The token of `reason`: `connection_refused`.
    public var failureReason: String? { reason.token }
}
