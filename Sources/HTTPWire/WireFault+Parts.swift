extension WireFault {
    /// The parts of a request that break the rule, as the access log names them. Nil if that depends on where
    /// the parser is.
    var requestParts: [String]? {
        switch self {
        case .methodByte, .methodTooLong, .connect: ["method"]
        case .emptyTarget, .targetByte, .targetTooLong, .targetForm, .targetMethod: ["target"]
        case .missingVersion, .version, .majorVersion: ["version"]
        case .missingHost, .repeatedHost, .host: ["field.Host"]
        case .contentLength, .repeatedContentLength: ["field.Content-Length"]
        case .bothFramings: ["field.Content-Length", "field.Transfer-Encoding"]
        case .transferEncoding, .repeatedTransferEncoding, .transferEncodingInOldVersion,
            .unknownTransferCoding:
            ["field.Transfer-Encoding"]
        case .expectation: ["field.Expect"]
        case .blockTooLarge, .tooManyFields, .obsoleteFold, .emptyName, .nameByte, .blankBeforeColon,
            .missingColon, .nameTooLong:
            ["fields"]
        case .chunkSize, .chunkTooLarge, .chunkExtension, .chunkExtensionTooLong, .chunkEnd: ["body"]
        case .bareLineFeed, .bareCarriageReturn, .repeatedLeadingLine, .valueByte, .lineTooLong: nil
        // Only responses break these.
        case .statusLine, .statusCode, .reasonByte, .unsolicitedBytes, .switchingProtocols,
            .tooManyInformational:
            nil
        }
    }
}
