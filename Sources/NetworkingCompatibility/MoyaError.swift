public import Foundation
import JSONBytes
public import Networking

/// A failure in Moya's terms (`MoyaError`), computed from a `NetworkError`.
public enum MoyaError: Error, Sendable {
    /// The status is a failure, in HTTP or in the envelope.
    case statusCode(Response)
    /// The body is not JSON.
    case jsonMapping(Response)
    /// The body is not text.
    case stringMapping(Response)
    /// The body is JSON of another shape, or lacks the requested data.
    case objectMapping(any Error, Response)
    /// A model could not be encoded as the body, or a file could not be read.
    case encodableMapping(any Error)
    /// Parameters could not be encoded.
    case parameterEncoding(any Error)
    /// The request could not be built because its URL or a header is invalid.
    case requestMapping(String)
    /// No complete response arrived.
    case underlying(any Error, Response?)

    /// The response, if one arrived.
    public var response: Response? {
        switch self {
        case .statusCode(let response), .jsonMapping(let response), .stringMapping(let response),
            .objectMapping(_, let response):
            response
        case .underlying(_, let response): response
        case .encodableMapping, .parameterEncoding, .requestMapping: nil
        }
    }
}

extension MoyaError: NestedError {
    /// Moya's `underlyingError`.
    public var underlying: (any Error)? {
        switch self {
        case .objectMapping(let error, _), .encodableMapping(let error), .parameterEncoding(let error),
            .underlying(let error, _):
            error
        case .statusCode, .jsonMapping, .stringMapping, .requestMapping: nil
        }
    }
}

extension MoyaError: CustomNSError {
    /// The domain of the error as an `NSError`.
    public static var errorDomain: String { "Moya.MoyaError" }

    /// The status for `.statusCode`, else 0, as in Moya.
    public var errorCode: Int {
        if case .statusCode(let response) = self { response.statusCode } else { 0 }
    }

    /// The facts of the error as an `NSError`.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [:]
        if let response { info["response"] = response }
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        return info
    }
}

extension NetworkError {
    /// The failure as Moya would report it.
    public var moyaError: MoyaError {
        switch requestPart {
        case .url, .headers: return .requestMapping(message)
        case .parameters: return .parameterEncoding(underlying ?? self)
        case .body: return .encodableMapping(underlying ?? self)
        case nil: break
        }
        guard let response else { return .underlying(underlying ?? self, nil) }
        switch kind {
        case .requestErr, .serverErr:
            return .statusCode(response)
        case .networkFail:
            return .underlying(underlying ?? self, response)
        case .pathErr where reason == .unexpectedStatus:
            return .statusCode(response)
        case .pathErr, .noContent, .success:
            if underlying is StringMappingError { return .stringMapping(response) }
            return underlying is JSONError || response.raw.body.isEmpty
                ? .jsonMapping(response) : .objectMapping(underlying ?? self, response)
        }
    }
}
