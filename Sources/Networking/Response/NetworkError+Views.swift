import FoundationEssentials
public import JSONBytes

// The same failure in the terms of code that was written for another client. Each is computed from the `NetworkError`, which
// keeps every fact; none is what the operators fail with.

/// Moya's terms.
public enum MoyaError: Error, Sendable {
    /// The status says no, in HTTP or in the envelope.
    case statusCode(Response)
    /// The body is not JSON.
    case jsonMapping(Response)
    /// The body is JSON of another shape, or lacks what was asked for.
    case objectMapping(any Error, Response)
    /// The request could not be built.
    case requestMapping(String)
    /// No whole answer.
    case underlying(any Error, Response?)
}

/// The terms of a screen that tells three failures apart.
public enum ResultError: Error, Sendable {
    /// The upstream answered that there is nothing.
    case noContent
    case statusCodeError(Int)
    case jsonMappingError(any Error)
}

/// The terms of a session whose steps are checked one after the other: address, transport, server, data, decoding.
public enum SessionError: Error, Sendable {
    case invalidURL
    case transportError
    case serverError(code: Int)
    case missingData
    case decodingError(error: any Error)
}

/// The terms of a router's manager: a code, what was known, what lies beneath, and the body of the refusal.
public struct RouterManagerError: Error, Sendable {
    public enum Code: Int, Sendable, Hashable {
        case failedRequest = 0
        case isNotSuccessful = 1
        case decodeFailed = 2
    }

    public let code: Code
    /// `upstream`, `path`, `reason`, and `statusCode` where there is one.
    public let userInfo: [String: String]
    public let underlying: (any Error)?
    /// The body as it came; nil where none came or it is not JSON.
    public let errorBody: JSONFragment?

    /// The body of the refusal as a model; nil where it is none.
    public func errorBody<Body: Decodable>(as type: Body.Type) -> Body? {
        errorBody.flatMap { try? Response.decoder.decode(type, from: Data($0.bytes)) }
    }
}

extension NetworkError {
    public var moyaError: MoyaError {
        guard let response else {
            return reason == .requestError ? .requestMapping(message) : .underlying(underlying ?? self, nil)
        }
        switch kind {
        case .requestErr, .serverErr:
            return .statusCode(response)
        case .networkFail:
            return .underlying(underlying ?? self, response)
        case .pathErr where reason == .unexpectedStatus:
            return .statusCode(response)
        case .pathErr, .noContent, .success:
            return underlying is JSONError || response.data.isEmpty
                ? .jsonMapping(response) : .objectMapping(underlying ?? self, response)
        }
    }

    /// Nil where no whole answer came: these terms have no word for that.
    public var resultError: ResultError? {
        switch kind {
        case .requestErr, .serverErr: .statusCodeError(statusCode ?? 0)
        case .pathErr where reason == .unexpectedStatus: .statusCodeError(statusCode ?? 0)
        case .pathErr, .success: .jsonMappingError(underlying ?? self)
        case .noContent: .noContent
        case .networkFail: nil
        }
    }

    public var sessionError: SessionError {
        switch kind {
        case .requestErr, .serverErr: .serverError(code: statusCode ?? 0)
        case .pathErr where reason == .unexpectedStatus: .serverError(code: statusCode ?? 0)
        case .pathErr, .success:
            reason == .missingData ? .missingData : .decodingError(error: underlying ?? self)
        case .noContent: .missingData
        case .networkFail: reason == .requestError ? .invalidURL : .transportError
        }
    }

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
            code: code, userInfo: userInfo, underlying: underlying,
            errorBody: response.flatMap { try? JSONFragment(validating: $0.data) })
    }

    /// The data in the envelope of a failure as a model; nil where it is none.
    public func payload<Payload: Decodable>(as type: Payload.Type) -> Payload? {
        payload.flatMap { try? Response.decoder.decode(type, from: Data($0.bytes)) }
    }
}
