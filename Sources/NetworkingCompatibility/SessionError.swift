public import Networking

/// A failure for a session that checks URL, transport, status, data and decoding in that order.
public enum SessionError: Error, Sendable {
    /// The request could not be built because its URL or its parameters are invalid.
    case invalidURL
    /// No complete response arrived.
    case transportError
    /// The status is a failure, in HTTP or in the envelope.
    case serverError(code: Int)
    /// The response has no content or lacks the requested data.
    case missingData
    /// The body is not JSON or has another shape.
    case decodingError(error: any Error)
}

extension NetworkError {
    /// The failure as such a session would report it.
    public var sessionError: SessionError {
        switch kind {
        case .requestErr, .serverErr: .serverError(code: failingCode)
        case .pathErr where reason == .unexpectedStatus: .serverError(code: failingCode)
        case .pathErr, .success:
            reason == .missingData ? .missingData : .decodingError(error: underlying ?? self)
        case .noContent: .missingData
        case .networkFail: requestPart == .url || requestPart == .parameters ? .invalidURL : .transportError
        }
    }
}
