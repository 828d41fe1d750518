public import Networking

/// A failure in the terms of a screen that distinguishes an empty result, a failing status and a malformed
/// body.
public enum ResultError: Error, Sendable {
    /// The upstream answered without content.
    case noContent
    /// The status is a failure, in HTTP or in the envelope.
    case statusCodeError(Int)
    /// The body is not JSON, has another shape, or lacks the requested data.
    case jsonMappingError(any Error)
}

extension NetworkError {
    /// The failure as a `ResultError`; nil if no complete response arrived, which a `ResultError` cannot
    /// express.
    public var resultError: ResultError? {
        switch kind {
        case .requestErr, .serverErr: .statusCodeError(failingCode)
        case .pathErr where reason == .unexpectedStatus: .statusCodeError(failingCode)
        case .pathErr, .success: .jsonMappingError(underlying ?? self)
        case .noContent: .noContent
        case .networkFail: nil
        }
    }

    /// The status. If an envelope reports a failure under a 2xx status with a numeric code of its own ("04"),
    /// that code.
    var failingCode: Int {
        let status = statusCode ?? 0
        return (200..<300).contains(status) ? upstreamCode.flatMap { Int($0) } ?? status : status
    }
}
