import HTTPModel

/// Each way in which bytes can break a rule of the grammar or a limit: one table for both directions.
enum WireFault: Error, Equatable, CaseIterable {
    case bareLineFeed, bareCarriageReturn, repeatedLeadingLine
    case methodByte, methodTooLong, emptyTarget, targetByte, targetTooLong, targetForm, targetMethod
    case missingVersion, version, majorVersion, connect
    case statusLine, statusCode, reasonByte
    case obsoleteFold, emptyName, nameByte, blankBeforeColon, missingColon, nameTooLong, valueByte
    case lineTooLong, blockTooLarge, tooManyFields
    case missingHost, repeatedHost, host
    case contentLength, repeatedContentLength, bothFramings
    case transferEncoding, repeatedTransferEncoding, transferEncodingInOldVersion, unknownTransferCoding
    case expectation
    case chunkSize, chunkTooLarge, chunkExtension, chunkExtensionTooLong, chunkEnd
    case unsolicitedBytes, switchingProtocols, tooManyInformational

    /// The rule that was broken, for a person to read. Never a byte of the message.
    var message: StaticString {
        switch self {
        case .bareLineFeed: "a line ends in CR LF, not in LF alone"
        case .bareCarriageReturn: "a CR stands only before LF"
        case .repeatedLeadingLine: "at most one empty line may stand before a request"
        case .methodByte: "a method is a token, followed by one space"
        case .methodTooLong: "no method is that long"
        case .emptyTarget: "one space parts the method from the target"
        case .targetByte: "the target has a control character, a # or a byte beyond ASCII"
        case .targetTooLong: "the target is longer than the limit"
        case .targetForm: "the target is neither a path nor an http(s) URL"
        case .targetMethod: "the form of the target does not fit the method"
        case .missingVersion: "the request line ends with a space and HTTP/1.1"
        case .version: "the version is HTTP/, a digit, a point and a digit"
        case .majorVersion: "only HTTP/1.0 and HTTP/1.1 are spoken here"
        case .connect: "CONNECT is not offered"
        case .statusLine: "a response begins with HTTP/1., a digit, a space and the status"
        case .statusCode: "a status is three digits from 100 to 599"
        case .reasonByte: "the reason phrase has a control character"
        case .obsoleteFold: "a field line does not begin with a blank"
        case .emptyName: "a field has a name"
        case .nameByte: "a field name is a token"
        case .blankBeforeColon: "no blank stands between a field name and its colon"
        case .missingColon: "a field line has a colon"
        case .nameTooLong: "a field name has at most 256 bytes"
        case .valueByte: "a field value has a control character"
        case .lineTooLong: "a field line is longer than the limit"
        case .blockTooLarge: "the fields are larger than the limit"
        case .tooManyFields: "there are more fields than the limit"
        case .missingHost: "an HTTP/1.1 request has a Host"
        case .repeatedHost: "there is one Host line"
        case .host: "Host is a host name or address and maybe a port"
        case .contentLength: "Content-Length is 1 to 19 digits"
        case .repeatedContentLength: "there is one Content-Length line"
        case .bothFramings: "Content-Length and Transfer-Encoding exclude each other"
        case .transferEncoding: "Transfer-Encoding is exactly chunked"
        case .repeatedTransferEncoding: "there is one Transfer-Encoding line"
        case .transferEncodingInOldVersion: "HTTP/1.0 has no Transfer-Encoding"
        case .unknownTransferCoding: "the only transfer coding is chunked"
        case .expectation: "the only expectation is 100-continue"
        case .chunkSize: "a chunk begins with 1 to 16 hexadecimal digits"
        case .chunkTooLarge: "the chunks are larger than can be counted"
        case .chunkExtension: "a chunk extension is ;name or ;name=value"
        case .chunkExtensionTooLong: "the chunk extensions are longer than the limit"
        case .chunkEnd: "a chunk's data is followed by CR LF"
        case .unsolicitedBytes: "bytes came that no request asked for"
        case .switchingProtocols: "101 came, but no upgrade was asked for"
        case .tooManyInformational: "more 1xx answers than the limit"
        }
    }

    /// What a request that breaks the rule is answered.
    var requestStatus: HTTPStatus {
        switch self {
        case .targetTooLong: .uriTooLong
        case .lineTooLong, .blockTooLarge, .tooManyFields: .requestHeaderFieldsTooLarge
        case .methodTooLong, .unknownTransferCoding: .notImplemented
        case .majorVersion: .httpVersionNotSupported
        case .connect: .methodNotAllowed
        case .expectation: .expectationFailed
        case .bareLineFeed, .bareCarriageReturn, .repeatedLeadingLine, .methodByte, .emptyTarget, .targetByte,
            .targetForm, .targetMethod, .missingVersion, .version, .statusLine, .statusCode, .reasonByte,
            .obsoleteFold, .emptyName, .nameByte, .blankBeforeColon, .missingColon, .nameTooLong, .valueByte,
            .missingHost, .repeatedHost, .host, .contentLength, .repeatedContentLength, .bothFramings,
            .transferEncoding, .repeatedTransferEncoding, .transferEncodingInOldVersion, .chunkSize,
            .chunkTooLarge, .chunkExtension, .chunkExtensionTooLong, .chunkEnd, .unsolicitedBytes,
            .switchingProtocols, .tooManyInformational:
            .badRequest
        }
    }

    /// What a response that breaks the rule is called (RFC 9209 2.3).
    var responseReason: ResponseError.Reason {
        switch self {
        case .lineTooLong, .blockTooLarge, .tooManyFields: .headerSectionSize
        case .unknownTransferCoding: .transferCoding
        case .bareLineFeed, .bareCarriageReturn, .repeatedLeadingLine, .methodByte, .methodTooLong,
            .emptyTarget,
            .targetByte, .targetTooLong, .targetForm, .targetMethod, .missingVersion, .version, .majorVersion,
            .connect, .statusLine, .statusCode, .reasonByte, .obsoleteFold, .emptyName, .nameByte,
            .blankBeforeColon, .missingColon, .nameTooLong, .valueByte, .missingHost, .repeatedHost, .host,
            .contentLength, .repeatedContentLength, .bothFramings, .transferEncoding,
            .repeatedTransferEncoding,
            .transferEncodingInOldVersion, .expectation, .chunkSize, .chunkTooLarge, .chunkExtension,
            .chunkExtensionTooLong, .chunkEnd, .unsolicitedBytes, .switchingProtocols, .tooManyInformational:
            .protocolError
        }
    }
}
