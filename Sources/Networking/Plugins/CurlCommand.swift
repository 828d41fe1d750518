import FoundationEssentials
import HTTPModel
import JSONBytes

extension TransportCall {
    /// The call as a line that a POSIX shell runs with curl: what a provider sends, without what the transport adds.
    ///
    ///     curl -X PUT 'http://diary.test/weights/2026-11-20/am' -H 'Accept: application/json' \
    ///         -H 'Content-Type: application/json' --data-raw '{"weight":61.5}'
    ///
    /// Nothing in it is the shell's to read: each value stands in single quotes. What is secret is left out as `redaction` says.
    /// A body that is no text, or none of one line, goes through `base64 -d`; one longer than `bodyLimit` bytes, a streamed one, and
    /// a multipart form with a secret part are left out, with a remark behind the line that says so.
    ///
    /// - Parameters:
    ///   - redaction: what is left out. Default: what is commonly secret.
    ///   - bodyLimit: bytes of a body that are shown. Default 16 KiB.
    public func curlCommand(redaction: Redaction = Redaction(), bodyLimit: Int = 16 << 10) -> String {
        var words = ["curl"]
        switch method {
        case .get: break
        case .head: words.append("--head")
        default: words.append("-X \(CurlCommand.word(method.rawValue))")
        }
        // Brackets and braces in a URL are curl's own otherwise.
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
        case .stream: return words.joined(separator: " ") + "  # its body is streamed, and left out"
        case .bytes(let bytes):
            guard bytes.count <= bodyLimit else {
                return words.joined(separator: " ") + "  # its body of \(bytes.count) bytes is left out"
            }
            guard !CurlCommand.hasSecretPart(bytes, of: self, redaction) else {
                return words.joined(separator: " ") + "  # its form, which has secrets, is left out"
            }
            // Else curl names a form.
            if !hasContentType { words.append("-H 'Content-Type:'") }
            return CurlCommand.line(words, CurlCommand.redacted(bytes, of: self, redaction))
        }
    }
}

extension Unicode.Scalar {
    /// Ends a line, or is for a terminal rather than for who reads it.
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

    /// A method of letters needs no quotes; one of its own may have what means something to a shell.
    static func word(_ text: String) -> String {
        text.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) } ? text : quoted(text)
    }

    /// Whether it is a form in parts (RFC 7578), one of which is named after something secret.
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

    /// In single quotes nothing but the single quote is special (POSIX 2.2.2).
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
        // No word of a shell has a NUL, none should have other bytes than text's, and a log's line is one line.
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
