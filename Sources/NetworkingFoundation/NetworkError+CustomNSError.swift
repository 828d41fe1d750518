public import Foundation
public import Networking

// The client's failures for code that reads `NSError` (`error as NSError`): crash reporters, logs, errors of one's own that nest
// them.
// Apart from `Networking`, which does without the whole of Foundation, and so does a gateway.

extension NetworkError: CustomNSError {
    public static var errorDomain: String { "Sluice.NetworkError" }

    /// The call's status; 0 where no whole answer came.
    public var errorCode: Int { statusCode ?? 0 }

    /// `upstream`, `kind`, `reason`, `attempts`, `path`, `statusCode` and `response` where there are any; what lies beneath under
    /// `NSUnderlyingErrorKey`, the message under `NSLocalizedDescriptionKey`.
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
    public static var errorDomain: String { "Sluice.TransportError" }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message, "reason": reason.token]
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }
}

extension RouterManagerError: CustomNSError {
    public static var errorDomain: String { "RouterManagerError" }

    public var errorCode: Int { code.rawValue }

    /// `userInfo`, the code's name as `identifier`, the `response`, and what lies beneath under `NSUnderlyingErrorKey`.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = userInfo
        info["identifier"] = String(reflecting: code)
        if let response { info["response"] = response }
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }
}

extension MoyaError: CustomNSError {
    public static var errorDomain: String { "Moya.MoyaError" }

    /// Moya's: the status that was refused, else 0.
    public var errorCode: Int {
        if case .statusCode(let response) = self { response.statusCode } else { 0 }
    }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [:]
        if let response { info["response"] = response }
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }
}
