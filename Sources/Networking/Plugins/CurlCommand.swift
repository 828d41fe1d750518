import FoundationEssentials
import HTTPModel
@_spi(Reading) import JSONBytes

extension TransportCall {
    /// Returns the call as a curl command for a POSIX shell, without what the transport adds.
    ///
    ///     curl -X PUT 'http://diary.test/weights/2026-11-20/am' -H 'Accept: application/json' \
    ///         -H 'Content-Type: application/json' --data-raw '{"weight":61.5}'
    ///
    /// All values are in single quotes, so the shell interprets nothing. Secrets are replaced as `redaction`
    /// specifies. A body that is not a single line of text is piped through `base64 -d`. A body of more than
    /// `bodyLimit` bytes, a streamed body, and a multipart form with a secret part are omitted; a comment at
    /// the end of the line says so.
    ///
    /// - Parameters:
    ///   - redaction: what to replace. Default: common secrets.
    ///   - bodyLimit: maximum number of body bytes to show. Default 16 KiB.
    public func curlCommand(redaction: Redaction = Redaction(), bodyLimit: Int = 16 << 10) -> String {
        var words = ["curl"]
        switch method {
        case .get: break
        case .head: words.append("--head")
        default: words.append("-X \(CurlCommand.word(method.rawValue))")
        }
        // --globoff, because curl expands brackets and braces in URLs.
        words.append("--globoff \(CurlCommand.quoted(CurlCommand.url(of: self, redaction)))")
        var hasContentType = false
        for (text, value) in allFields {
            guard let name = HTTPFieldName(text) else { continue }
            hasContentType = hasContentType || name == .contentType
            words.append("-H \(CurlCommand.quoted("\(text): \(redaction.value(of: name, value))"))")
            if name == .acceptEncoding, value != "identity" { words.append("--compressed") }
        }
        switch body {
        case .none: return words.joined(separator: " ")
        case .stream: return words.joined(separator: " ") + "  # streamed body omitted"
        case .bytes(let bytes):
            guard bytes.count <= bodyLimit else {
                return words.joined(separator: " ") + "  # body of \(bytes.count) bytes omitted"
            }
            guard !CurlCommand.hasSecretPart(bytes, of: self, redaction) else {
                return words.joined(separator: " ") + "  # form with secrets omitted"
            }
            // Otherwise curl adds the content type of a form.
            if !hasContentType { words.append("-H 'Content-Type:'") }
            return CurlCommand.line(words, CurlCommand.redacted(bytes, of: self, redaction))
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character ends a line or controls a terminal.
    var isControl: Bool {
        properties.generalCategory == .control || value == 0x2028 || value == 0x2029
    }
}

private enum CurlCommand {
    static func url(of call: TransportCall, _ redaction: Redaction) -> String {
        let base = call.upstream.baseURL
        let query = call.query.map { "?" + redaction.pairs($0) } ?? ""
        return "\(base.scheme.rawValue)://\(base.authority)\(call.path)\(query)"
    }

    /// Quotes a method unless it consists of letters; a custom one may have special characters.
    static func word(_ text: String) -> String {
        text.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) } ? text : quoted(text)
    }

    /// Whether the body is a multipart form (RFC 7578) with a part whose name is secret.
    static func hasSecretPart(_ body: ArraySlice<UInt8>, of call: TransportCall, _ redaction: Redaction)
        -> Bool
    {
        guard call.fields[.contentType]?.lowercased().hasPrefix("multipart/") == true else { return false }
        let text = String(decoding: body, as: UTF8.self)
        return text.split(separator: "name=\"", omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            redaction.isSecret(rest.prefix { $0 != "\"" })
        }
    }

    // In single quotes, only the single quote is special (POSIX 2.2.2).
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    static func redacted(_ body: ArraySlice<UInt8>, of call: TransportCall, _ redaction: Redaction)
        -> ArraySlice<UInt8>
    {
        let type = call.fields[.contentType]?.lowercased() ?? ""
        if type.hasPrefix("application/x-www-form-urlencoded") {
            return Array(redaction.pairs(String(decoding: body, as: UTF8.self)).utf8)[...]
        }
        guard let document = try? JSONScanner.validate(body) else { return body }
        return redaction.json(document).bytes
    }

    static func line(_ words: [String], _ body: ArraySlice<UInt8>) -> String {
        // A shell word cannot contain NUL, and a log entry should be a single line of text.
        if let text = String(validating: body, as: UTF8.self),
            !text.unicodeScalars.contains(where: \.isControl)
        {
            return (words + ["--data-raw \(quoted(text))"]).joined(separator: " ")
        }
        let encoded = Data(body).base64EncodedString()
        return "printf %s \(quoted(encoded)) | base64 -d | "
            + (words + ["--data-binary @-"]).joined(separator: " ")
    }
}
