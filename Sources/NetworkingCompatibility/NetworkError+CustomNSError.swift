public import Foundation
public import Networking

// For code that reads `NSError`, such as crash reporters. `NSError` needs all of Foundation, which Networking
// avoids.

extension NetworkError: CustomNSError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "Sluice.NetworkError" }

    /// The status of the call; 0 if none came.
    public var errorCode: Int { statusCode ?? 0 }

    /// `upstream`, `kind`, `reason` and `attempts`; `path`, `statusCode` and `response` if known; the
    /// underlying error under `NSUnderlyingErrorKey`, and the message under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: message, NSLocalizedFailureReasonErrorKey: reason.token,
            "upstream": upstream, "kind": kind.rawValue, "reason": reason.token, "attempts": attempts,
        ]
        if let call { info["path"] = call.path }
        if let statusCode { info["statusCode"] = statusCode }
        if let response { info["response"] = response }
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }
}

extension TransportError: CustomNSError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "Sluice.TransportError" }

    /// The facts of the error as an `NSError`.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message, "reason": reason.token]
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }
}
