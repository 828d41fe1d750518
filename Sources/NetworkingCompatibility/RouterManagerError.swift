public import Foundation
public import JSONBytes
public import Networking

/// A failure for a router manager: a code, user info, the underlying error and the body of the error
/// response.
public struct RouterManagerError: NestedError, Sendable {
    /// The step that failed.
    public enum Code: Int, Sendable, Hashable {
        /// No complete response arrived.
        case failedRequest = 0
        /// The status is a failure, in HTTP or in the envelope.
        case isNotSuccessful = 1
        /// The body is not JSON, has another shape, or lacks the requested data.
        case decodeFailed = 2
    }

    /// The step that failed.
    public let code: Code
    /// `upstream`, `path`, `reason` and, if known, `statusCode`.
    public let userInfo: [String: String]
    /// A `TransportError`, a `JSONError` or a `DecodingError`.
    public let underlying: (any Error)?
    /// Nil if no complete response arrived.
    public let response: Response?
    /// The body of the response; nil if it is missing or not JSON.
    public let errorBody: JSONFragment?

    /// Decodes the body of the response; nil if it does not match the model.
    public func errorBody<Body: Decodable>(
        as type: Body.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> Body? {
        errorBody.flatMap { try? decoder.decode(type, from: $0) }
    }
}

extension RouterManagerError: CustomNSError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "RouterManagerError" }

    /// The code of the error as an `NSError`.
    public var errorCode: Int { code.rawValue }

    /// `userInfo`, the code's name as `identifier`, the `response`, and the underlying error under
    /// `NSUnderlyingErrorKey`.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = userInfo
        info["identifier"] = String(reflecting: code)
        if let response { info["response"] = response }
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }
}

extension NetworkError {
    /// The failure as a router manager would report it.
    public var routerManagerError: RouterManagerError {
        var userInfo = ["upstream": upstream, "reason": reason.token]
        if let call { userInfo["path"] = call.path }
        if let statusCode { userInfo["statusCode"] = String(statusCode) }
        let code: RouterManagerError.Code =
            switch kind {
            case .requestErr, .serverErr: .isNotSuccessful
            case .pathErr where reason == .unexpectedStatus: .isNotSuccessful
            case .pathErr, .noContent, .success: .decodeFailed
            case .networkFail: .failedRequest
            }
        return RouterManagerError(
            code: code, userInfo: userInfo, underlying: underlying, response: response,
            errorBody: response.flatMap { try? JSONFragment(validating: $0.raw.body) })
    }
}
