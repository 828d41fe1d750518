public import FoundationEssentials

/// An error that knows what lies beneath it.
public protocol NestedError: Error {
    /// The next one down; nil at the bottom.
    var underlying: (any Error)? { get }
}

extension NestedError {
    /// What lies beneath, and beneath that, down to the first cause. Goes through errors of this kind and those of coders.
    public var underlyingErrors: [any Error] {
        var chain: [any Error] = []
        var next = underlying
        // An error of somebody's own may be beneath itself.
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
    /// `message`: fit for people, and without host, field, body and query.
    public var errorDescription: String? { message }
    public var failureReason: String? { reason.token }
}
