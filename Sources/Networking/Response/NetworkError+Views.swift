public import JSONBytes

// The same failure in the terms of code that was written for another client. Each is computed from the `NetworkError`, which
// keeps every fact; none is what the operators fail with.

/// Moya's terms.
public enum MoyaError: Error, Sendable {
    /// The status says no, in HTTP or in the envelope.
    case statusCode(Response)
    /// The body is not JSON.
    case jsonMapping(Response)
    /// The body is no text.
    case stringMapping(Response)
    /// The body is JSON of another shape, or lacks what was asked for.
    case objectMapping(any Error, Response)
    /// A model could not be encoded as the body, or a file could not be read.
    case encodableMapping(any Error)
    /// Parameters could not be encoded.
    case parameterEncoding(any Error)
    /// The request could not be built: its address or one of its fields.
    case requestMapping(String)
    /// No whole answer.
    case underlying(any Error, Response?)

    /// The response, where one came.
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

/// The terms of a screen that tells three failures apart.
public enum ResultError: Error, Sendable {
    /// The upstream answered that there is nothing.
    case noContent
    /// The status says no, in HTTP or in the envelope.
    case statusCodeError(Int)
    /// The body is no JSON, of another shape, or lacks what was asked for.
    case jsonMappingError(any Error)
}

/// The terms of a session whose steps are checked one after the other: address, transport, server, data, decoding.
public enum SessionError: Error, Sendable {
    /// The request could not be built: its address or its parameters.
    case invalidURL
    /// No whole answer.
    case transportError
    /// The status says no, in HTTP or in the envelope.
    case serverError(code: Int)
    /// The answer lacks what was asked for, or is that there is nothing.
    case missingData
    /// The body is no JSON, or JSON of another shape.
    case decodingError(error: any Error)
}

/// The terms of a router's manager: a code, what was known, what lies beneath, and the body of the refusal.
public struct RouterManagerError: NestedError, Sendable {
    /// Which of the manager's steps failed.
    public enum Code: Int, Sendable, Hashable {
        /// No whole answer.
        case failedRequest = 0
        /// The status says no, in HTTP or in the envelope.
        case isNotSuccessful = 1
        /// The body is no JSON, of another shape, or lacks what was asked for.
        case decodeFailed = 2
    }

    /// What kind of failure it is.
    public let code: Code
    /// `upstream`, `path`, `reason`, and `statusCode` where there is one.
    public let userInfo: [String: String]
    /// A `TransportError`, a `JSONError`, a `DecodingError`.
    public let underlying: (any Error)?
    /// Nil where no whole response came.
    public let response: Response?
    /// The body as it came; nil where none came or it is not JSON.
    public let errorBody: JSONFragment?

    /// The body of the refusal as a model; nil where it is none.
    public func errorBody<Body: Decodable>(
        as type: Body.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> Body? {
        errorBody.flatMap { try? decoder.decode(type, from: $0) }
    }
}

extension NetworkError {
    /// In Moya's terms.
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
            return underlying is JSONError || response.data.isEmpty
                ? .jsonMapping(response) : .objectMapping(underlying ?? self, response)
        }
    }

    /// The status; that of an envelope with codes of its own ("04") under a 2xx is its code, where that is a number.
    private var failingCode: Int {
        let status = statusCode ?? 0
        return (200..<300).contains(status) ? upstreamCode.flatMap { Int($0) } ?? status : status
    }

    /// Nil where no whole answer came: these terms have no word for that.
    public var resultError: ResultError? {
        switch kind {
        case .requestErr, .serverErr: .statusCodeError(failingCode)
        case .pathErr where reason == .unexpectedStatus: .statusCodeError(failingCode)
        case .pathErr, .success: .jsonMappingError(underlying ?? self)
        case .noContent: .noContent
        case .networkFail: nil
        }
    }

    /// In the terms of a session whose steps are checked one after the other.
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

    /// In the terms of a router's manager.
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
            errorBody: response.flatMap { try? JSONFragment(validating: $0.data) })
    }

    /// The data in the envelope of a failure as a model; nil where it is none.
    public func payload<Payload: Decodable>(
        as type: Payload.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> Payload? {
        payload.flatMap { try? decoder.decode(type, from: $0) }
    }

    /// The body that came with the failure as a model, whatever the status: an API's own words about it. Nil where none came, or
    /// it is no such model.
    public func decode<Body: Decodable>(
        _ type: Body.Type, using decoder: any ResponseDecoder = Response.decoder
    ) -> Body? {
        guard let response, let body = try? JSONFragment(validating: response.data) else { return nil }
        return try? decoder.decode(type, from: body)
    }
}
