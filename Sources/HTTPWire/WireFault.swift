import HTTPModel

/// The grammar rules and limits that received bytes can break, in both directions.
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

    /// The broken rule as text, without bytes of the message.
    var message: StaticString {
        switch self {
        case .bareLineFeed: "a line must end with CRLF"
        case .bareCarriageReturn: "a CR must be followed by LF"
        case .repeatedLeadingLine: "more than one empty line precedes the request"
        case .methodByte: "the method is not a token followed by a space"
        case .methodTooLong: "the method is longer than 32 bytes"
        case .emptyTarget: "one space must separate the method from the target"
        case .targetByte: "the target has a control character, a # or a byte beyond ASCII"
        case .targetTooLong: "the target is longer than the limit"
        case .targetForm: "the target is neither a path nor an http(s) URL"
        case .targetMethod: "the form of the target does not fit the method"
        case .missingVersion: "the request line has no HTTP version"
        case .version: "the HTTP version is malformed"
        case .majorVersion: "only HTTP/1.0 and HTTP/1.1 are supported"
        case .connect: "CONNECT is not supported"
        case .statusLine: "a response must begin with an HTTP version, a space and a status"
        case .statusCode: "the status is not a number from 100 to 999"
        case .reasonByte: "the reason phrase has a control character"
        case .obsoleteFold: "a field line must not begin with a blank"
        case .emptyName: "a field name is empty"
        case .nameByte: "a field name is not a token"
        case .blankBeforeColon: "a blank separates a field name from its colon"
        case .missingColon: "a field line has no colon"
        case .nameTooLong: "a field name is longer than 256 bytes"
        case .valueByte: "a field value has a control character"
        case .lineTooLong: "a field line is longer than the limit"
        case .blockTooLarge: "the fields are larger than the limit"
        case .tooManyFields: "there are more fields than the limit"
        case .missingHost: "an HTTP/1.1 request must have a Host field"
        case .repeatedHost: "there is more than one Host field"
        case .host: "Host is not a valid host with an optional port"
        case .contentLength: "Content-Length is not a number of 1 to 19 digits below 2^63"
        case .repeatedContentLength: "there is more than one Content-Length field"
        case .bothFramings: "Content-Length and Transfer-Encoding exclude each other"
        case .transferEncoding: "Transfer-Encoding is not exactly chunked"
        case .repeatedTransferEncoding: "there is more than one Transfer-Encoding field"
        case .transferEncodingInOldVersion: "HTTP/1.0 has no Transfer-Encoding"
        case .unknownTransferCoding: "the only supported transfer coding is chunked"
        case .expectation: "the only supported expectation is 100-continue"
        case .chunkSize: "a chunk must begin with 1 to 16 hexadecimal digits"
        case .chunkTooLarge: "the sum of the chunk sizes is too large"
        case .chunkExtension: "a chunk extension is malformed"
        case .chunkExtensionTooLong: "the chunk extensions are longer than the limit"
        case .chunkEnd: "the data of a chunk must be followed by CRLF"
        case .unsolicitedBytes: "bytes arrived that no request asked for"
        case .switchingProtocols: "101 arrived although no upgrade was requested"
        case .tooManyInformational: "there are more 1xx responses than the limit"
        }
    }

    /// The status sent to a client whose request breaks the rule.
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

    /// The failure reason if a response breaks the rule (RFC 9209 2.3).
    var responseReason: FailureReason {
        switch self {
        case .lineTooLong, .blockTooLarge, .tooManyFields: .responseHeadSize
        case .unknownTransferCoding: .responseTransferCoding
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
