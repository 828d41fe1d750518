public import Networking

/// A failure for a screen that distinguishes an empty result, a failing status and a malformed body.
public enum ResultError: Error, Sendable {
    /// The upstream sent no content.
    case noContent
    /// The status is a failure, in HTTP or in the envelope.
    case statusCodeError(Int)
    /// The body is not JSON, has another shape, or lacks the requested data.
    case jsonMappingError(any Error)
}

extension NetworkError {
    /// Nil if no complete response arrived, because a `ResultError` cannot express that.
    public var resultError: ResultError? {
        switch kind {
        case .requestErr, .serverErr: .statusCodeError(failingCode)
        case .pathErr where reason == .unexpectedStatus: .statusCodeError(failingCode)
        case .pathErr, .success: .jsonMappingError(underlying ?? self)
        case .noContent: .noContent
        case .networkFail: nil
        }
    }

    /// The status, or the code of an envelope that reports a failure under a 2xx status with its own number
    /// ("04").
    var failingCode: Int {
        let status = statusCode ?? 0
        return (200..<300).contains(status) ? upstreamCode.flatMap { Int($0) } ?? status : status
    }
}
